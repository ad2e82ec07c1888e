import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { readArguments } from '../../sandbox/arguments.ts';
import { fleetKey, fleetStart } from '../../sandbox/world/fleet.ts';
import { run as runProgram } from '../support/process/run-main.ts';
import { paths, startStory } from './stories.ts';

const { organization, production, alerts, boards } = paths;
const html = 'text/html; charset=utf-8';

it.each([
  [production, ''],
  [production, 'Bearer demo-main-token'],
  [production, 'unknown:demo-admin-secret'],
  [production, 'demo-admin-key:demo-developer-secret'],
  [alerts, ''],
  [alerts, 'Bearer unknown'],
  [alerts, 'demo-admin-key:demo-admin-secret'],
])('%s is not for the credential "%s"', async (path, as) => {
  const { status, headers, value } = await (await startStory()).ask('GET', path, undefined, as);
  const isManaged = path === production;
  const asked = isManaged ? 'Basic realm="management"' : undefined;
  expect([status, headers['www-authenticate']]).toEqual([401, asked]);
  if (!isManaged) expect(value).toBe('Unauthorized');
});

it('other paths are a 404 in plain text, or as the live services answer it', async () => {
  const { ask } = await startStory({ extendedReads: false });
  for (const path of ['/', '/v1/organizations', '/api/v1/alerts', boards, organization]) {
    const { status, value } = await ask('GET', path);
    expect([path, status, value]).toEqual([path, 404, 'Not Found']);
  }
  const live = await startStory({ profile: 'live' });
  expect((await live.ask('GET', '/v1/nothing')).value).toBe('NOT_FOUND: not found');
  const page = await live.ask('GET', '/api/v2/nothing');
  expect([page.status, page.headers['content-type']]).toEqual([404, html]);
});

it('a key may make ten requests in ten seconds, whatever is refused meanwhile', async () => {
  const { ask, get, wait } = await startStory({ limits: true });
  const as = 'demo-admin-key:wrong';
  for (let time = 0; time < 10; time += 1) await get(organization, { as, status: 401 });
  await get(organization, { as, status: 429 });
  for (let time = 0; time < 10; time += 1) await get(organization);
  wait(2750);
  const { status, headers, value } = await ask('PATCH', organization, { name: 'Changed' });
  expect([status, headers['x-ratelimit-reset']]).toEqual([429, '7.250']);
  expect(value).toBe('TOO_MANY_REQUESTS: an API key may make 10 requests in 10 seconds');
  await get(organization, { as: 'developer' });
  wait(7249);
  await get(organization, { status: 429 });
  wait(1);
  expect(await get(organization)).toMatchObject({ name: 'Northwind Analytics' });
});

it('a token may make a hundred requests a minute, and each answer tells how many are left', async () => {
  const { ask, get, wait } = await startStory({ limits: true });
  const limitsOf = async (path: string, as?: string) => {
    const { status, headers } = await ask('GET', path, undefined, as);
    return [status, headers['ratelimit-remaining'], headers['ratelimit-reset']];
  };
  for (let time = 0; time < 99; time += 1) await get(alerts);
  wait(25_300);
  expect(await limitsOf('/api/v1/nowhere')).toEqual([404, '0', '35']);
  const { status, headers, value } = await ask('GET', alerts);
  expect([status, headers['retry-after'], value]).toEqual([
    ...[429, '60', 'Too many requests, please try again later.'],
  ]);
  expect(await limitsOf(alerts, 'Bearer unknown')).toEqual([401, '99', '60']);
  wait(34_700);
  expect(await limitsOf(alerts)).toEqual([200, '99', '60']);
});

it.each([
  ['tooManyRequests', 429, 'an API key may make 10 requests in 10 seconds', 'x-ratelimit-reset'],
  ['serverError', 500, 'this credential always fails', 'content-type'],
  ['unavailable', 503, 'this credential is never served', 'retry-after'],
  ['proxyTimeout', 524, '<title>524: A timeout occurred</title>', 'content-type'],
  ['html', 200, '<body>Please sign in.</body>', 'content-type'],
])(
  'the credential %s fails on purpose with %i, and writes nothing',
  async (as, status, words, header) => {
    const { ask, get } = await startStory();
    for (const method of ['GET', 'PATCH']) {
      const body = method === 'GET' ? undefined : { name: 'Changed' };
      const reply = await ask(method, organization, body, as);
      expect([reply.status, reply.text]).toEqual([status, expect.stringContaining(words)]);
      const told = { 'x-ratelimit-reset': '30.000', 'retry-after': '30' }[header];
      const type = words.startsWith('<') ? html : 'application/json; charset=utf-8';
      expect(reply.headers).toMatchObject({ 'content-type': type, [header]: told ?? type });
    }
    await get(alerts, { as, status });
    expect(await get(organization)).toMatchObject({ name: 'Northwind Analytics' });
  },
);

it('a credential that fails by cutting ends the connection after half of the answer', async () => {
  const { ask } = await startStory();
  const whole = await ask('GET', alerts);
  const half = await ask('GET', alerts, undefined, 'cut');
  const { length } = Buffer.from(whole.text);
  expect(half).toMatchObject({ status: 200, isWhole: false });
  expect(half.headers['content-length']).toBe(`${length}`);
  expect(half.text).toBe(
    Buffer.from(whole.text)
      .subarray(0, length / 2)
      .toString('utf8'),
  );
});

it('a fleet is the same each time, has a key of its own, and some of its services sleep', async () => {
  const fleet = `/v1/organizations/${fleetStart.organizationId}/services`;
  const servicesOf = async (fleetSize: number) => {
    const { ask } = await startStory({ fleetSize, profile: 'live' });
    expect((await ask('GET', fleet)).status).toBe(404);
    const read = (path: string) => ask('GET', path, undefined, fleetKey.header);
    return { read, services: (await read(fleet)).value as readonly { id: string }[] };
  };
  const { services, read } = await servicesOf(24);
  expect((await servicesOf(5)).services).toEqual(services.slice(0, 5));
  expect(services[5]).toMatchObject({ state: 'idle', region: 'eu-central-1' });
  const pipes = await Promise.all(services.map(({ id }) => read(`${fleet}/${id}/clickpipes`)));
  expect(pipes.filter(({ status }) => status === 424)).toHaveLength(2);
  expect(pipes.map(({ text }) => text).join('')).toContain('"state":"Failed"');
  const { ask } = await startStory();
  expect((await ask('GET', fleet, undefined, fleetKey.header)).status).toBe(401);
});

describe('sandbox/main.ts', () => {
  const sandbox = (env: Readonly<Record<string, string>> = {}, ...args: string[]) =>
    runProgram({ SANDBOX_MANAGEMENT_PORT: '0', SANDBOX_OBSERVABILITY_PORT: '0', ...env }, [
      ...([process.execPath, 'sandbox/main.ts'] as const),
      ...args,
    ]);

  it.each([
    [{ SANDBOX_LIMITS: ' off' }, ['--profile', 'live'], 'clickhouseVersion', 'none, by', 'none'],
    [{}, ['--services', '6'], 'engineVersion', '10 requests', '6 services, 1 of them asleep'],
  ])(
    'sandbox/main.ts with %j %j says what it plays, in lines that work, and stops',
    async (env, args, ...words) => {
      const [member, limits, fleet] = words;
      const { child, output, ended } = sandbox(env, ...args);
      while (!output.text.includes('Ctrl-C')) await once(child.stdout, 'data');
      expect(output.text).toContain(`\nLimits: ${limits}`);
      expect(output.text).toContain(`\nFleet: ${fleet}`);
      expect(output.text).toContain(
        ': demo-429, demo-500, demo-503, demo-524, demo-slow, demo-html, demo-cut.\n',
      );
      const [, pair = '', url = ''] = /^curl -s -u (\S+) (\S+)$/m.exec(output.text) ?? [];
      const response = await fetch(url, { headers: { authorization: `Basic ${btoa(pair)}` } });
      expect(await response.json()).toHaveProperty(`result.${member}`);
      child.kill('SIGTERM');
      expect(await ended).toMatchObject({ code: 0, errors: '' });
    },
  );

  it.each([
    [{ SANDBOX_LIMITS: 'offf' }, [], 'SANDBOX_LIMITS must be on or off'],
    [{ SANDBOX_HOST: '192.0.2.1' }, [], 'listen EADDRNOTAVAIL'],
    [{}, ['--live'], 'invalid arguments: the options are --profile live'],
  ])('sandbox/main.ts with %j %j ends with one line', async (env, args, words) => {
    const { code, text, errors } = await sandbox(env, ...args).ended;
    expect([code, text]).toEqual([1, '']);
    expect(errors).toMatch(new RegExp(`^sandbox: ${words}.*\n$`));
  });

  it.each(['--profile', '--profile=Live', 'live', '--services=1001', '--services=1e2'])(
    'sandbox/main.ts refuses the argument %s',
    (arg) => {
      expect(() => readArguments([arg])).toThrow(/^invalid arguments: the options are --profile /);
    },
  );
});

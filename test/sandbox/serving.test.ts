import { once } from 'node:events';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { readArguments } from '../../sandbox/arguments.ts';
import { createLimiter, REMEMBERED } from '../../sandbox/limits.ts';
import { startSandbox } from '../../sandbox/server.ts';
import { fleetKey, fleetStart } from '../../sandbox/world/fleet.ts';
import { run as runProgram } from '../support/process/run-main.ts';
import { headerOf, names, startStory, storiesOf } from './stories.ts';

const json = 'content-type: application/json; charset=utf-8';
const page = 'content-type: text/html; charset=utf-8';
const unauthorized = '401 www-authenticate: Basic realm="management"';
const basic = (pair: string) => `Basic_${btoa(pair)}`;

const stories = storiesOf(`
management takes a key by HTTP Basic (reference)
  GET $production as nobody -> ${unauthorized}
  GET $production as Bearer_demo-main-token -> ${unauthorized}
  GET $production as unknown:demo-admin-secret -> ${unauthorized}
  GET $production as demo-admin-key:demo-developer-secret -> ${unauthorized}
  GET $production as ${basic('demo-admin-key:demo-admin-secret').replace('Basic', 'bASIC')} -> 200
    www-authenticate: none
observability takes a token (reference)
  GET $alerts as nobody -> 401 "Unauthorized"
  GET $alerts as Bearer_unknown -> 401 "Unauthorized"
  GET $alerts as demo-admin-key:demo-admin-secret -> 401 "Unauthorized"
other paths are a 404 in plain text (documented)
  GET / -> 404 "Not Found"
  GET $production/ -> 404 "Not Found"
  GET $pipes/$orders -> 404 "Not Found"
  GET /v1/organizations -> 404 "Not Found"
  GET $organization -> 404 "Not Found"
  GET $organization/services -> 404 "Not Found"
  GET /api/v1/alerts -> 404 "Not Found"
  GET $boards -> 404 "Not Found"
  GET $alerts/ -> 404 "Not Found"
other paths are a 404 as the live services answer it (live)
  GET /v1/nothing -> 404 "NOT_FOUND: not found"
  GET /api/v2/nothing -> 404 ${page}
identifiers are taken byte for byte (reference)
  GET $alerts/$errorRate -> 200
  GET $alerts/.. -> 404
  GET $alerts/%2e%2e -> 404
  GET $alerts/${names.errorRate.toUpperCase()} -> 404
  GET $alerts/${names.errorRate.replace('a', '%61')} -> 404
a key may make ten requests in ten seconds, whatever is refused meanwhile (limited)
  10x GET $organization as demo-admin-key:wrong -> 401
  GET $organization as demo-admin-key:wrong -> 429
  10x GET $organization -> 200
  wait 2750
  PATCH $organization {"name":"Changed"} -> 429 x-ratelimit-reset: 7.250 &
    "TOO_MANY_REQUESTS: an API key may make 10 requests in 10 seconds"
  GET $organization as developer -> 200
  wait 7249
  GET $organization -> 429
  wait 1
  GET $organization -> 200 {"name":"Northwind Analytics"}
a token may make a hundred requests a minute, and each answer tells how many are left (limited)
  99x GET $alerts -> 200
  wait 25300
  GET /api/v1/nowhere -> 404 ratelimit-limit: 100 & ratelimit-remaining: 0 & ratelimit-reset: 35
  GET $alerts -> 429 "Too many requests, please try again later." & retry-after: 60
  GET $alerts as Bearer_unknown -> 401 ratelimit-remaining: 99 & ratelimit-reset: 60
  wait 34700
  GET $alerts -> 200 ratelimit-remaining: 99 & ratelimit-reset: 60
credentials that fail on purpose write nothing (reference)
  GET $organization as tooManyRequests -> 429 ${json} & x-ratelimit-reset: 30.000 &
    ~ an API key may make 10 requests in 10 seconds
  PATCH $organization as tooManyRequests {"name":"Changed"} -> 429
  GET $organization as serverError -> 500 ${json} & ~ this credential always fails
  PATCH $organization as serverError {"name":"Changed"} -> 500
  GET $organization as unavailable -> 503 retry-after: 30 & ~ this credential is never served
  PATCH $organization as unavailable {"name":"Changed"} -> 503
  GET $organization as proxyTimeout -> 524 ${page} & ~ <title>524: A timeout occurred</title>
  PATCH $organization as proxyTimeout {"name":"Changed"} -> 524
  GET $organization as html -> 200 ${page} & ~ <body>Please sign in.</body>
  PATCH $organization as html {"name":"Changed"} -> 200 ${page}
  GET $organization -> 200 {"name":"Northwind Analytics"}
  GET $alerts as tooManyRequests -> 429
  GET $alerts as serverError -> 500
  GET $alerts as unavailable -> 503
  GET $alerts as proxyTimeout -> 524
  GET $alerts as html -> 200 ${page}
`);

it.each(stories)('%s %j', async (_, options, steps) => {
  await (await startStory(options)).run(steps);
});

it.each([
  ['{', 400, 'the body is not valid JSON'],
  ['[]', 400, 'the body must be an object'],
  [`{"name":"${'-'.repeat(1024 * 1024 - 10)}"}`, 413, 'the body is larger than 1 MB'],
])('a request with the body %.9s is refused', async (body, status, words) => {
  const { ask } = await startStory();
  const one = await ask('PATCH', names.organization, body);
  expect(one.whole).toMatchObject({ status, requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) });
  expect([one.status, one.value]).toEqual([status, expect.stringContaining(words)]);
  const other = await ask('POST', names.boards, body);
  expect([other.status, other.value]).toEqual([status, words]);
});

it('limits remember 1000 credentials, and those only within their windows', () => {
  let now = 0;
  const limiter = createLimiter({ requests: 10, windowMs: 10_000 }, () => new Date(now));
  for (let index = 0; index < 2 * REMEMBERED; index += 1) limiter.count(`${index}`);
  expect(limiter.size()).toBe(REMEMBERED);
  const left = [limiter.count('0'), limiter.count(`${REMEMBERED + 1}`)];
  expect(left.map(({ remaining }) => remaining)).toEqual([9, 8]);
  now = 10_000;
  limiter.count('next');
  expect(limiter.size()).toBe(1);
});

describe('a credential that fails on purpose', () => {
  it('by cutting ends the connection after half of the answer', async () => {
    const { ask } = await startStory();
    const whole = await ask('GET', names.alerts);
    const half = await ask('GET', names.alerts, undefined, headerOf('cut', false));
    const { length } = Buffer.from(whole.text);
    expect(half).toMatchObject({ status: 200, isWhole: false });
    expect(half.headers['content-length']).toBe(`${length}`);
    expect(half.text).toBe(
      Buffer.from(whole.text)
        .subarray(0, length / 2)
        .toString('utf8'),
    );
  });

  it('by slowness answers after five seconds, and leaves nothing waiting', async () => {
    // Nothing here may use fetch, which would set faked timers too.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { sandbox, ask } = await startStory();
    const timers = async (count: number): Promise<void> => {
      while (vi.getTimerCount() !== count) await new Promise<void>((done) => setImmediate(done));
    };
    const askSlowly = () => ask('GET', names.alerts, undefined, headerOf('slow', false));
    const settled = vi.fn();
    const answer = askSlowly();
    void answer.then(settled);
    await timers(1);
    vi.advanceTimersByTime(4999);
    // Others are answered meanwhile; what had been written before would have come before this.
    await ask('GET', names.alerts);
    expect(settled).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect((await answer).status).toBe(200);
    const cut = expect(askSlowly()).rejects.toThrow();
    await timers(1);
    await sandbox.close();
    await timers(0);
    await cut;
  });
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
    [{}, [], 'engineVersion', '10 requests in 10 s for each key', 'none'],
    [{ SANDBOX_LIMITS: ' off' }, ['--profile', 'live'], 'clickhouseVersion', 'none, by', 'none'],
    [{}, ['--services', '6'], 'engineVersion', '10 requests', '6 services, 1 of them asleep'],
  ])(
    'with %j %j says what it plays, in lines that work, and stops',
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
    [{ SANDBOX_OBSERVABILITY_PORT: '65536' }, [], 'SANDBOX_OBSERVABILITY_PORT must be a port'],
    [{ SANDBOX_LIMITS: 'offf' }, [], 'SANDBOX_LIMITS must be on or off'],
    [{ SANDBOX_HOST: '192.0.2.1' }, [], 'listen EADDRNOTAVAIL'],
    [{}, ['--live'], 'invalid arguments: the options are --profile live'],
  ])('with %j %j ends with one line', async (env, args, words) => {
    const { code, text, errors } = await sandbox(env, ...args).ended;
    expect([code, text]).toEqual([1, '']);
    expect(errors).toMatch(new RegExp(`^sandbox: ${words}.*\n$`));
  });

  it('names a port that is in use', async () => {
    const running = await startSandbox();
    onTestFinished(() => running.close());
    const { port } = new URL(running.managementUrl);
    const { errors } = await sandbox({ SANDBOX_MANAGEMENT_PORT: port }).ended;
    expect(errors).toContain(`sandbox: port ${port} is in use`);
  });

  it.each([
    [[], ['reference', 0, false]],
    [
      ['--profile=live-2.13', '--help'],
      ['live-2.13', 0, true],
    ],
    [
      ['--services', '1000'],
      ['reference', 1000, false],
    ],
  ])('reads the arguments %j', (args, expected) => {
    const { profile, fleetSize, help } = readArguments(args);
    expect([profile, fleetSize, help]).toEqual(expected);
  });

  it.each(['--profile', '--profile=Live', 'live', '--services=1001', '--services=1e2'])(
    'refuses the argument %s',
    (arg) => {
      expect(() => readArguments([arg])).toThrow(/^invalid arguments: the options are --profile /);
    },
  );
});

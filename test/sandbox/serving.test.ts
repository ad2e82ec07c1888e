import { once } from 'node:events';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { readArguments } from '../../sandbox/arguments.ts';
import type { Fault } from '../../sandbox/faults.ts';
import { createLimiter, REMEMBERED } from '../../sandbox/limits.ts';
import { fleetKey, fleetStart } from '../../sandbox/world/fleet.ts';
import { run } from '../support/process/run-main.ts';
import {
  createClock,
  credentials,
  get,
  open,
  organization,
  pipe,
  service,
  world,
} from '../support/sandbox/harness.ts';

const { admin, developer } = credentials.management;
const { main } = credentials.observability;
const alerts = '/api/v2/alerts';
const jsonType = 'application/json; charset=utf-8';

describe('requests', () => {
  const encode = (pair: string) => `Basic ${btoa(pair)}`;

  it.each([
    ['without a key', '', 401],
    ['with a token', main.header, 401],
    ['with an unknown key', encode('unknown:demo-admin-secret'), 401],
    ["with another key's secret", encode('demo-admin-key:demo-developer-secret'), 401],
    ['with the scheme in another case', admin.header.replace('Basic', 'bASIC'), 200],
  ])('to management %s', async (_, header, status) => {
    const { management } = await open();
    const reply = await management('GET', service('production'), undefined, header);
    expect(reply.body).toMatchObject({
      status,
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(reply.headers.has('www-authenticate')).toBe(status === 401);
  });

  it.each(['', 'Bearer unknown', admin.header])(
    'to observability with %j get a 401 in plain text',
    async (header) => {
      const { observability } = await open();
      const reply = await observability('GET', alerts, undefined, header);
      expect([reply.status, reply.text]).toEqual([401, 'Unauthorized']);
    },
  );

  it('to other paths get a 404: in plain text, or as the live services answer it', async () => {
    const reference = await open({ extendedReads: false });
    const extended = ['/v1/organizations', organization, `${organization}/services`];
    for (const path of [
      '/',
      `${service('production')}/`,
      pipe('production', 'orders'),
      ...extended,
    ]) {
      const reply = await reference.management('GET', path);
      expect([path, reply.status, reply.text]).toEqual([path, 404, 'Not Found']);
    }
    for (const path of ['/api/v1/alerts', '/api/v2/dashboards', '/api/v2/alerts/']) {
      const reply = await reference.observability('GET', path);
      expect([path, reply.status, reply.text]).toEqual([path, 404, 'Not Found']);
    }
    const live = await open({ profile: 'live' });
    expect((await live.management('GET', '/v1/nothing')).body.error).toBe('NOT_FOUND: not found');
    const page = await live.observability('GET', '/api/v2/nothing');
    expect([page.status, page.headers.get('content-type')]).toEqual([
      404,
      'text/html; charset=utf-8',
    ]);
  });

  it('take identifiers byte for byte', async () => {
    const { sandbox } = await open();
    const id = world.observability.main.alerts.errorRate;
    for (const name of ['..', '%2e%2e', id.toUpperCase(), id.replace('a', '%61')]) {
      const { status } = await get(sandbox.observabilityUrl, `${alerts}/${name}`, main.header)
        .answer;
      expect([name, status]).toEqual([name, 404]);
    }
  });

  it.each([
    ['{', 400, 'the body is not valid JSON'],
    ['[]', 400, 'the body must be an object'],
    [`{"name":"${'-'.repeat(1024 * 1024 - 10)}"}`, 413, 'the body is larger than 1 MB'],
  ])('with the body %.9s are refused', async (body, status, words) => {
    const { management, observability } = await open();
    const one = await management('PATCH', organization, body);
    expect([one.status, one.body.error]).toEqual([status, expect.stringContaining(words)]);
    const other = await observability('POST', '/api/v2/dashboards', body);
    expect([other.status, other.body.message]).toEqual([status, words]);
  });
});

describe('limits', () => {
  const openLimited = async () => {
    const clock = createClock();
    const { management, observability } = await open({ limits: true, clock: clock.read });
    /** The statuses of so many requests. */
    const statuses = async (count: number, header: string) => {
      const seen: number[] = [];
      for (let index = 0; index < count; index += 1) {
        const { status } = await (header.startsWith('Bearer')
          ? observability('GET', alerts, undefined, header)
          : management('GET', organization, undefined, header));
        seen.push(status);
      }
      return seen;
    };
    return { clock, management, observability, statuses };
  };
  const all = (count: number, status: number): number[] => Array(count).fill(status);

  it('are ten in ten seconds for a key, whatever is refused meanwhile', async () => {
    const { clock, management, statuses } = await openLimited();
    expect(await statuses(11, `Basic ${btoa('demo-admin-key:wrong')}`)).toEqual([
      ...all(10, 401),
      429,
    ]);
    expect(await statuses(10, admin.header)).toEqual(all(10, 200));
    clock.advance(2750);
    const refused = await management('PATCH', organization, { name: 'Changed' });
    expect([refused.status, refused.headers.get('x-ratelimit-reset')]).toEqual([429, '7.250']);
    expect(refused.body.error).toBe(
      'TOO_MANY_REQUESTS: an API key may make 10 requests in 10 seconds',
    );
    expect(await statuses(1, developer.header)).toEqual([200]);
    clock.advance(7249);
    expect(await statuses(1, admin.header)).toEqual([429]);
    clock.advance(1);
    const { body } = await management('GET', organization);
    expect(body.result).toMatchObject({ name: 'Northwind Analytics' });
  });

  it('are a hundred a minute for a token, and stand in every answer', async () => {
    const { clock, observability, statuses } = await openLimited();
    const said = ({ headers }: { readonly headers: Headers }) =>
      ['limit', 'remaining', 'reset'].map((name) => headers.get(`ratelimit-${name}`));
    expect(await statuses(99, main.header)).toEqual(all(99, 200));
    clock.advance(25_300);
    expect(said(await observability('GET', '/api/v1/nowhere'))).toEqual(['100', '0', '35']);
    const refused = await observability('GET', alerts);
    expect([refused.status, refused.text]).toEqual([
      429,
      'Too many requests, please try again later.',
    ]);
    expect(refused.headers.get('retry-after')).toBe('60');
    expect(said(await observability('GET', alerts, undefined, 'Bearer unknown'))).toEqual([
      '100',
      '99',
      '60',
    ]);
    clock.advance(34_700);
    expect(said(await observability('GET', alerts))).toEqual(['100', '99', '60']);
  });

  it('can be switched off', async () => {
    const { management } = await open({ limits: false });
    for (let sent = 0; sent < 11; sent += 1) {
      expect((await management('GET', organization)).status).toBe(200);
    }
  });

  it('remember so many credentials, and those only within their windows', () => {
    const clock = createClock();
    const limiter = createLimiter({ requests: 10, windowMs: 10_000 }, clock.read);
    for (let index = 0; index < 2 * REMEMBERED; index += 1) limiter.count(`${index}`);
    expect(limiter.size()).toBe(REMEMBERED);
    expect([limiter.count('0').remaining, limiter.count(`${REMEMBERED + 1}`).remaining]).toEqual([
      9, 8,
    ]);
    clock.advance(10_000);
    limiter.count('next');
    expect(limiter.size()).toBe(1);
  });
});

describe('credentials that fail on purpose', () => {
  const page =
    '<!doctype html>\n<html><head><title>Sign in</title></head><body>Please sign in.</body></html>\n';
  const timeout = '<html><head><title>524: A timeout occurred</title></head></html>\n';
  const html = 'text/html; charset=utf-8';

  it.each<
    readonly [fault: Fault, status: number, type: string, wait: string | null, words: string]
  >([
    ['tooManyRequests', 429, jsonType, '30.000', 'an API key may make 10 requests in 10 seconds'],
    ['serverError', 500, jsonType, null, 'this credential always fails'],
    ['unavailable', 503, jsonType, '30', 'this credential is never served'],
    ['proxyTimeout', 524, html, null, timeout],
    ['html', 200, html, null, page],
  ])('%s answers %i, and writes nothing', async (fault, status, type, wait, words) => {
    const { management, observability } = await open();
    const { header } = credentials.failing.management[fault];
    const read = await management('GET', organization, undefined, header);
    const write = await management('PATCH', organization, { name: 'Changed' }, header);
    for (const { status: got, headers, text } of [read, write]) {
      expect([got, headers.get('content-type')]).toEqual([status, type]);
      expect(headers.get('x-ratelimit-reset') ?? headers.get('retry-after')).toBe(wait);
      expect(text).toContain(words);
    }
    const { body } = await management('GET', organization);
    expect(body.result).toMatchObject({ name: 'Northwind Analytics' });
    const token = credentials.failing.observability[fault].header;
    expect((await observability('GET', alerts, undefined, token)).status).toBe(status);
  });

  it('cut: the connection ends after half of the answer', async () => {
    const { sandbox, observability } = await open();
    const whole = Buffer.from((await observability('GET', alerts)).text);
    const { header } = credentials.failing.observability.cut;
    const half = await get(sandbox.observabilityUrl, alerts, header).answer;
    expect(half).toEqual({
      status: 200,
      length: whole.length,
      text: whole.subarray(0, whole.length / 2).toString('utf8'),
      complete: false,
    });
  });

  it('slow: the answer comes after five seconds, and leaves nothing waiting', async () => {
    // Nothing here may use fetch, which would set faked timers too.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { sandbox } = await open();
    const timers = async (count: number): Promise<void> => {
      while (vi.getTimerCount() !== count) await new Promise<void>((done) => setImmediate(done));
    };
    const { header } = credentials.failing.observability.slow;
    const settled = vi.fn();
    const { answer } = get(sandbox.observabilityUrl, alerts, header);
    void answer.then(settled);
    await timers(1);
    vi.advanceTimersByTime(4999);
    // Others are answered meanwhile; what had been written before would have come before this.
    await get(sandbox.observabilityUrl, alerts, main.header).answer;
    expect(settled).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect((await answer).status).toBe(200);
    const left = get(sandbox.observabilityUrl, alerts, header);
    const cut = expect(left.answer).rejects.toThrow();
    await timers(1);
    await sandbox.close();
    await timers(0);
    await cut;
  });
});

it('a fleet has so many services, the same each time, of which some sleep, and a key of its own', async () => {
  const fleet = `/v1/organizations/${fleetStart.organizationId}/services`;
  const servicesOf = async (fleetSize: number) => {
    const { management } = await open({ fleetSize, profile: 'live' });
    const read = (path: string) =>
      management<readonly Readonly<Record<string, unknown>>[]>(
        'GET',
        path,
        undefined,
        fleetKey.header,
      );
    const services = (await read(fleet)).body.result;
    const pipes = await Promise.all(services.map(({ id }) => read(`${fleet}/${id}/clickpipes`)));
    expect((await management('GET', fleet)).status).toBe(404);
    return { services, pipes };
  };
  const { services, pipes } = await servicesOf(24);
  expect((await servicesOf(5)).services).toEqual(services.slice(0, 5));
  expect(pipes.filter(({ status }) => status === 424)).toHaveLength(2);
  const states = new Set(
    pipes
      .flatMap(({ status, body }) => (status === 200 ? body.result : []))
      .map(({ state }) => state),
  );
  expect(states).toContain('Failed');
  expect(services[5]).toMatchObject({ state: 'idle', region: 'eu-central-1' });
  const { management } = await open();
  expect((await management('GET', fleet, undefined, fleetKey.header)).status).toBe(401);
});

describe('sandbox/main.ts', () => {
  const sandbox = (env: Readonly<Record<string, string>> = {}, ...args: string[]) =>
    run({ SANDBOX_MANAGEMENT_PORT: '0', SANDBOX_OBSERVABILITY_PORT: '0', ...env }, [
      process.execPath,
      'sandbox/main.ts',
      ...args,
    ]);

  it.each([
    [{}, [], 'engineVersion', '10 requests in 10 s for each key', 'none'],
    [{ SANDBOX_LIMITS: ' off' }, ['--profile', 'live'], 'clickhouseVersion', 'none, by', 'none'],
    [{}, ['--services', '6'], 'engineVersion', '10 requests', '6 services, 1 of them asleep'],
  ])(
    'with %j %j says what it plays, in lines that work, and stops',
    async (env, args, member, limits, fleet) => {
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
    const { port } = new URL((await open()).sandbox.managementUrl);
    const { errors } = await sandbox({ SANDBOX_MANAGEMENT_PORT: port }).ended;
    expect(errors).toContain(`sandbox: port ${port} is in use`);
  });

  it.each([
    [[], { profile: 'reference', fleetSize: 0, help: false }],
    [['--profile=live-2.13', '--help'], { profile: 'live-2.13', fleetSize: 0, help: true }],
    [['--services', '1000'], { profile: 'reference', fleetSize: 1000, help: false }],
  ])('reads the arguments %j', (args, expected) => {
    expect(readArguments(args)).toEqual(expected);
  });

  it.each([['--profile'], ['--profile=Live'], ['live'], ['--services=1001'], ['--services=1e2']])(
    'refuses the argument %s',
    (arg) => {
      expect(() => readArguments([arg])).toThrow(
        /^invalid arguments: the options are --profile live/,
      );
    },
  );
});

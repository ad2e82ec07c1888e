import { describe, expect, it, onTestFinished } from 'vitest';
import { startSandbox } from '../../sandbox/server.ts';
import {
  createClock,
  credentials,
  open,
  organization,
  service,
} from '../support/sandbox/harness.ts';

const { admin, developer } = credentials.management;
const { main, second } = credentials.observability;

/** A sandbox with limits, whose clock stands still. */
const openLimited = async () => {
  const clock = createClock();
  const opened = await open({ limits: true, clock: clock.read });
  const manage = (header = admin.header, path = organization) =>
    opened.management('GET', path, undefined, header);
  const observe = (header = main.header, path = '/api/v2/alerts') =>
    opened.observability('GET', path, undefined, header);
  return { ...opened, clock, manage, observe };
};

/** The headers that say something of a limit. */
const limitsIn = ({ headers }: { readonly headers: Headers }): Record<string, string> =>
  Object.fromEntries([...headers].filter(([name]) => /ratelimit|retry/.test(name)));

/** The statuses of so many requests, one after another. */
const statuses = async (
  count: number,
  ask: () => Promise<{ readonly status: number }>,
): Promise<number[]> => {
  const seen: number[] = [];
  for (let index = 0; index < count; index += 1) seen.push((await ask()).status);
  return seen;
};

const all = (count: number, status: number): number[] => Array(count).fill(status);

describe('the limit of the management interface', () => {
  it('is ten requests in ten seconds: the eleventh gets a JSON 429 that names the wait', async () => {
    const { manage, clock } = await openLimited();
    const answers = [];
    for (let index = 0; index < 10; index += 1) answers.push(await manage());
    expect(answers.map(({ status }) => status)).toEqual(all(10, 200));
    expect(answers.map(limitsIn)).toEqual(Array(10).fill({}));

    clock.advance(2750);
    const refused = await manage();
    expect([refused.status, limitsIn(refused)]).toEqual([429, { 'x-ratelimit-reset': '7.250' }]);
    expect(refused.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(refused.body).toEqual({
      status: 429,
      error: 'TOO_MANY_REQUESTS: an API key may make 10 requests in 10 seconds',
      requestId: expect.stringMatching(
        /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f-]{16}$/,
      ),
    });
  });

  it('ends its window ten seconds after its first request, whatever was refused meanwhile', async () => {
    const { manage, clock } = await openLimited();
    await manage();
    clock.advance(9000);
    expect(await statuses(10, manage)).toEqual([...all(9, 200), 429]);
    clock.advance(999);
    expect(limitsIn(await manage())).toEqual({ 'x-ratelimit-reset': '0.001' });
    clock.advance(1);
    expect(await statuses(10, manage)).toEqual(all(10, 200));
    expect(limitsIn(await manage())).toEqual({ 'x-ratelimit-reset': '10.000' });
  });

  it('counts failures, and paths that do not exist', async () => {
    const { manage } = await openLimited();
    const wrong = `Basic ${btoa('demo-admin-key:wrong')}`;
    expect(await statuses(11, () => manage(wrong))).toEqual([...all(10, 401), 429]);
    expect(await statuses(5, () => manage(admin.header, '/nowhere'))).toEqual(all(5, 404));
    expect(await statuses(5, () => manage(admin.header, service('trial')))).toEqual(all(5, 200));
    expect((await manage()).status).toBe(429);
  });

  it('does not carry out the write that it refuses', async () => {
    const { management, manage, clock } = await openLimited();
    await statuses(10, manage);
    const refused = await management('PATCH', organization, { name: 'Changed' });
    expect(refused.status).toBe(429);
    clock.advance(10_000);
    expect((await manage()).body.result).toMatchObject({ name: 'Northwind Analytics' });
  });

  it('keeps keys apart, also one with a wrong secret and requests without a key', async () => {
    const { manage } = await openLimited();
    const guess = `Basic ${btoa(`${admin.keyId}:guess`)}`;
    expect(await statuses(11, () => manage(guess))).toEqual([...all(10, 401), 429]);
    expect(await statuses(11, () => manage(''))).toEqual([...all(10, 401), 429]);
    expect(await statuses(11, () => manage(admin.header))).toEqual([...all(10, 200), 429]);
    expect(await statuses(11, () => manage(developer.header))).toEqual([...all(10, 200), 429]);
  });
});

describe('the limit of the observability interface', () => {
  const left = (remaining: number, reset: number) => ({
    'ratelimit-limit': '100',
    'ratelimit-remaining': String(remaining),
    'ratelimit-reset': String(reset),
  });

  it('stands in every answer, failures among them, in whole seconds', async () => {
    const { observe, observability, clock } = await openLimited();
    const ok = await observe();
    expect([ok.status, limitsIn(ok)]).toEqual([200, left(99, 60)]);
    clock.advance(25_300);
    const unknown = await observe(main.header, '/api/v2/alerts/ffff00000000000000000000');
    expect([unknown.status, limitsIn(unknown)]).toEqual([404, left(98, 35)]);
    const nowhere = await observe(main.header, '/api/v1/nowhere');
    expect([nowhere.status, limitsIn(nowhere)]).toEqual([404, left(97, 35)]);
    const broken = await observability('POST', '/api/v2/dashboards', '{');
    expect([broken.status, limitsIn(broken)]).toEqual([400, left(96, 35)]);
    const stranger = await observe('Bearer unknown');
    expect([stranger.status, limitsIn(stranger)]).toEqual([401, left(99, 60)]);
    const nobody = await observe('');
    expect([nobody.status, limitsIn(nobody)]).toEqual([401, left(99, 60)]);
  });

  it('is a hundred a minute over all paths: then a sentence typed as HTML, with a Retry-After of the window', async () => {
    const { observe, clock } = await openLimited();
    const paths = ['/api/v2/alerts', '/api/v2/dashboards'];
    const answered = await statuses(50, async () => {
      const [one, other] = await Promise.all(paths.map((path) => observe(main.header, path)));
      return { status: Number(one?.status === 200 && other?.status === 200) };
    });
    expect(answered).toEqual(all(50, 1));
    clock.advance(26_000);
    const refused = await observe();
    expect([refused.status, limitsIn(refused)]).toEqual([
      429,
      { ...left(0, 34), 'retry-after': '60' },
    ]);
    expect(refused.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(refused.text).toBe('Too many requests, please try again later.');

    clock.advance(33_999);
    expect(limitsIn(await observe())).toEqual({ ...left(0, 1), 'retry-after': '60' });
    clock.advance(1);
    const next = await observe();
    expect([next.status, limitsIn(next)]).toEqual([200, left(99, 60)]);
  });

  it('keeps tokens apart', async () => {
    const { observe } = await openLimited();
    expect(await statuses(101, observe)).toEqual([...all(100, 200), 429]);
    const other = await observe(second.header);
    expect([other.status, limitsIn(other)]).toEqual([200, left(99, 60)]);
  });
});

describe('limits', () => {
  it('hold where nothing is said', async () => {
    const sandbox = await startSandbox();
    onTestFinished(() => sandbox.close());
    expect((await fetch(sandbox.observabilityUrl)).headers.get('ratelimit-limit')).toBe('100');
  });

  it('can be switched off, with all that they say', async () => {
    const { management, observability } = await open({ limits: false });
    expect(await statuses(11, () => management('GET', organization))).toEqual(all(11, 200));
    const observe = () => observability('GET', '/api/v2/alerts');
    expect(await statuses(101, observe)).toEqual(all(101, 200));
    expect(limitsIn(await observe())).toEqual({});
  });
});

import { describe, expect, it, onTestFinished, type TestContext } from 'vitest';
import type { Config } from '../../src/config.ts';
import { createGate, leavable } from '../support/faults/gate.ts';
import { type Answer, type Call, credentials, data, json, startStack } from '../support/harness.ts';

const rate = { calls: 10, windowMs: 600 };

/** Reads of one call each, by a credential of that name. */
const reads = ['{ alerts { id } }', '{ dashboards { id } }'] as const;
const tokenOf = (name: string) => ({ 'observability-authorization': `Bearer ${name}` });

const limited = (headers: Readonly<Record<string, string>> = {}, status = 429): Answer => ({
  ...json({ message: 'Slow down' }, status),
  headers: { 'content-type': 'application/json', ...headers },
});

const start = async (
  observability: (call: Call) => Answer | Promise<Answer>,
  finished: TestContext['onTestFinished'] = onTestFinished,
  config: Partial<Config> = {},
) => {
  const stack = await startStack({
    management: () => json({}, 500),
    observability,
    config: { observabilityRate: rate, ...config },
  });
  finished(() => stack.close());
  return stack;
};

interface Case {
  readonly title: string;
  /** The answer that asks to be left alone, and for how long from now, in milliseconds. */
  readonly ask: () => readonly [answer: Answer, milliseconds: number];
}

const seconds = (title: string, headers: Readonly<Record<string, string>>, wait: number): Case => ({
  title,
  ask: () => [limited(headers), wait * 1000],
});

const epochCase = (name: string): Case => ({
  title: `429 with ${name} since 1970`,
  ask: () => {
    const until = Math.ceil(Date.now() / 1000) + 1;
    return [limited({ [name]: `${until}` }), until * 1000 - Date.now()];
  },
});

const cases: readonly Case[] = [
  seconds('429 with X-RateLimit-Reset', { 'x-ratelimit-reset': '1' }, 1),
  seconds('429 with X-RateLimit-Reset, decimal', { 'x-ratelimit-reset': '0.75' }, 0.75),
  seconds('429 with RateLimit-Reset', { 'ratelimit-reset': '1' }, 1),
  seconds(
    '429 with RateLimit-Reset beside a longer Retry-After',
    { 'ratelimit-reset': '1', 'ratelimit-remaining': '0', 'retry-after': '60' },
    1,
  ),
  seconds('429 with RateLimit', { ratelimit: '"x";r=0;t=1' }, 1),
  seconds('429 with Retry-After', { 'retry-after': '1' }, 1),
  epochCase('x-ratelimit-reset'),
  epochCase('ratelimit-reset'),
  { title: '429 without a header', ask: () => [limited(), rate.windowMs] },
  {
    title: '503 with Retry-After',
    ask: () => [limited({ 'retry-after': '1' }, 503), 1000],
  },
];

describe.concurrent('a credential that meets', () => {
  it.for(cases)(
    '$title is left alone as long as it says, and its read sent once more',
    async ({ ask }, context) => {
      let until = -Infinity;
      const early: string[] = [];
      const stack = await start(({ path }) => {
        if (until === -Infinity) {
          const [answer, milliseconds] = ask();
          until = performance.now() + milliseconds;
          return answer;
        }
        if (performance.now() < until) early.push(path);
        return data([]);
      }, context.onTestFinished);
      const first = stack.query(reads[0]);
      await context.expect.poll(() => stack.calls.length).toBe(1);
      const answers = await Promise.all([first, stack.query(reads[1])]);
      context
        .expect(answers.map(({ body }) => body))
        .toEqual([{ data: { alerts: [] } }, { data: { dashboards: [] } }]);
      context.expect(early).toEqual([]);
      context
        .expect(stack.callList())
        .toEqual(['GET /api/v2/alerts', 'GET /api/v2/alerts', 'GET /api/v2/dashboards']);
    },
  );
});

describe('while a credential is held back', () => {
  it('others are not', async () => {
    const stack = await start(({ headers }) =>
      headers.authorization === 'Bearer two' ? data([]) : limited({ 'retry-after': '20' }),
    );
    const waiting = leavable(stack.url, reads[0], { ...credentials, ...tokenOf('one') });
    await expect.poll(() => stack.calls.length).toBe(1);
    const { body } = await stack.query(reads[0], { headers: tokenOf('two') });
    expect(body).toEqual({ data: { alerts: [] } });
    await waiting.leave();
    expect(stack.calls).toHaveLength(2);
  });

  it('a call whose wait would be too long fails at once: the limited read with the upstream’s message, others with the wait', async () => {
    const stack = await start(() => limited({ 'retry-after': '31' }));
    const { body } = await stack.query(reads[0]);
    expect(body.errors).toMatchObject([
      {
        message: 'Slow down.',
        extensions: {
          code: 'RATE_LIMITED',
          upstream: { name: 'observability', operation: 'listAlerts', status: 429 },
          retryable: true,
          retryAfterSeconds: 31,
        },
      },
    ]);
    const { body: other } = await stack.query(reads[1]);
    const [{ extensions }] = other.errors;
    expect(extensions).toMatchObject({ code: 'RATE_LIMITED', retryable: true });
    expect(extensions.upstream).toEqual({ name: 'observability', operation: 'listDashboards' });
    expect(stack.calls).toHaveLength(1);
    expect(stack.complaints()).toBe('');
  });

  it('all requests that share a read get its failure', async () => {
    const gate = createGate();
    const stack = await start(gate.answering);
    const sharing = [stack.query(reads[0]), stack.query(reads[0])];
    const call = await gate.arrived(1);
    await stack.query('{ __typename }');
    call.answer(limited({ 'retry-after': '31' }));
    for (const { body } of await Promise.all(sharing)) {
      expect(body.errors).toMatchObject([{ extensions: { upstream: { status: 429 } } }]);
    }
    expect(gate.calls).toHaveLength(1);
  });

  it('nor is a call sent that waited for other calls of its operation', async () => {
    const gate = createGate();
    const stack = await start(gate.answering, onTestFinished, { upstreamConnections: 4 });
    const waiting = leavable(stack.url, '{ alerts { id } dashboards { id } }', credentials);
    (await gate.arrived(1)).answer(limited({ 'retry-after': '20' }));
    // The 429 has been read once another credential's call has come and gone.
    const other = stack.query(reads[0], { headers: tokenOf('two') });
    (await gate.arrived(2)).answer(data([]));
    await other;
    expect(gate.calls.map(({ call }) => call.headers.authorization)).toEqual([
      credentials['observability-authorization'],
      'Bearer two',
    ]);
    await waiting.leave();
  });

  it('a second 429 is the end of a read', async () => {
    const stack = await start(() => limited({ 'ratelimit-reset': '0.2' }));
    const { body } = await stack.query(reads[0]);
    expect(body.errors).toMatchObject([
      { extensions: { code: 'RATE_LIMITED', upstream: { status: 429 }, retryAfterSeconds: 1 } },
    ]);
    expect(stack.calls).toHaveLength(2);
  });

  it('the breaker stays closed', async () => {
    const stack = await start(
      ({ headers }) =>
        headers.authorization === 'Bearer well' ? data([]) : limited({ 'retry-after': '31' }, 503),
      onTestFinished,
      { breakerFailures: 1 },
    );
    for (const name of ['a', 'b', 'c']) await stack.query(reads[0], { headers: tokenOf(name) });
    const { body } = await stack.query(reads[0], { headers: tokenOf('well') });
    expect(body).toEqual({ data: { alerts: [] } });
  });
});

describe('an upstream that counts fewer calls left than the gateway', () => {
  it.each([
    ['RateLimit-Remaining', { 'ratelimit-remaining': '1', 'ratelimit-reset': '40' }],
    ['RateLimit', { ratelimit: '"x";r=1;t=40' }],
  ])('is believed: %s', async (_, headers) => {
    const answer = { ...data([]), headers: { 'content-type': 'application/json', ...headers } };
    const stack = await start(() => answer, onTestFinished, {
      observabilityRate: { calls: 10, windowMs: 60_000 },
    });
    const explained = await stack.query(reads[0], { headers: { 'sluice-explain': '1' } });
    expect(explained.body.extensions.budget).toMatchObject({ observability: 1 });
    await stack.query(reads[1]);
    const { body } = await stack.query(reads[0]);
    expect(body.errors).toMatchObject([{ extensions: { code: 'RATE_LIMITED' } }]);
    expect(body.errors[0].extensions.upstream).not.toHaveProperty('status');
    expect(stack.calls).toHaveLength(2);
  });
});

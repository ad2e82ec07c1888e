import { afterEach, describe, expect, it } from 'vitest';
import { createGate } from '../support/faults/gate.ts';
import {
  oneAfterTheOther,
  reads,
  startFaultStack,
  status,
  unexpected,
  well,
} from '../support/faults/stack.ts';
import { type Stack, startStack } from '../support/harness.ts';

const inSeconds = (seconds: number): string => new Date(Date.now() + 1000 * seconds).toUTCString();

interface LimitedRow {
  readonly title: string;
  readonly headers: () => Readonly<Record<string, string>>;
}

const headers = (title: string, given: Readonly<Record<string, string>>): LimitedRow => ({
  title,
  headers: () => given,
});

describe.concurrent('after a 429 a read is sent again where the wait is', () => {
  it.for([
    headers('decimal, in x-ratelimit-reset', { 'x-ratelimit-reset': '0.05' }),
    headers('decimal, in ratelimit-reset', { 'ratelimit-reset': '0.25' }),
    headers('decimal, in retry-after', { 'retry-after': '0.1' }),
    headers('whole, in retry-after', { 'retry-after': '1' }),
    headers('none', { 'x-ratelimit-reset': '0' }),
    headers('2 seconds', { 'retry-after': '2' }),
    {
      title: 'until a date within 2 seconds',
      headers: () => ({ 'retry-after': inSeconds(1) }),
    },
    { title: 'until a date in the past', headers: () => ({ 'retry-after': inSeconds(-60) }) },
    headers('short by x-ratelimit-reset, whatever the others say', {
      'x-ratelimit-reset': '0.05',
      'ratelimit-reset': '34',
      'retry-after': '60',
    }),
    headers('short by ratelimit-reset, where retry-after is the whole window', {
      'ratelimit-reset': '0.05',
      'retry-after': '60',
    }),
    headers('short by the next header, where the first cannot be read', {
      'x-ratelimit-reset': 'soon',
      'ratelimit-reset': '',
      'retry-after': '0.05',
    }),
  ])('$title', async ({ headers: make }, { expect: expected }) => {
    const gate = createGate();
    const own = await startStack({ management: unexpected, observability: gate.answering });
    try {
      const answer = own.query(reads.observability.document);
      (await gate.arrived(1)).answer(status(429, make()));
      (await gate.arrived(2)).answer(well('observability'));
      expected((await answer).body).toEqual({ data: { alert: { name: 'well' } } });
      expected(own.calls).toHaveLength(2);
    } finally {
      await own.close();
    }
  });
});

describe('a read that is limited', () => {
  let stack: Stack;
  afterEach(() => stack.close());

  const start = async (...options: Parameters<typeof startFaultStack>) => {
    const started = await startFaultStack(...options);
    stack = started;
    return started.backend;
  };

  describe('after a 429 a read is not sent again where the wait is', () => {
    it.each<readonly [LimitedRow, seconds: unknown]>([
      [headers('not told', {}), undefined],
      [headers('a bit more than 2 seconds', { 'x-ratelimit-reset': '2.01' }), 3],
      [headers('a decimal beyond', { 'ratelimit-reset': '34.5' }), 35],
      [headers('long, in retry-after', { 'retry-after': '60' }), 60],
      [
        { title: 'until a later date', headers: () => ({ 'retry-after': inSeconds(60) }) },
        expect.closeTo(60, -1),
      ],
      [
        headers('long by x-ratelimit-reset, whatever the others say', {
          'x-ratelimit-reset': '7',
          'ratelimit-reset': '0.05',
          'retry-after': '0.05',
        }),
        7,
      ],
      [
        headers('long by ratelimit-reset, whatever retry-after says', {
          'ratelimit-reset': '34',
          'retry-after': '1',
        }),
        34,
      ],
      [
        headers('not to be read', { 'x-ratelimit-reset': 'soon', 'retry-after': 'later' }),
        undefined,
      ],
    ])('$title', async ({ headers: make }, seconds) => {
      const { calls } = await start('observability', () => status(429, make()));
      const { body } = await stack.query(reads.observability.document);
      expect(body.errors).toHaveLength(1);
      const { extensions } = body.errors[0];
      expect(extensions).toMatchObject({ code: 'RATE_LIMITED', retryable: true });
      expect(extensions.retryAfterSeconds).toEqual(seconds);
      expect(calls).toHaveLength(1);
    });
  });

  it('a read is not sent again before the time that a 503 names', async () => {
    const { calls } = await start('observability', () =>
      // The headers of a limit stand on every answer.
      status(503, { 'retry-after': '60', 'ratelimit-reset': '0.05' }),
    );
    const { body } = await stack.query(reads.observability.document);
    expect(body.errors).toMatchObject([
      {
        extensions: { code: 'UPSTREAM_UNAVAILABLE', retryAfterSeconds: 60, retryable: true },
      },
    ]);
    expect(calls).toHaveLength(1);
  });

  it('a read that stays limited tells the last wait, in whole seconds', async () => {
    const { calls } = await start(
      'management',
      oneAfterTheOther([
        status(429, { 'x-ratelimit-reset': '0.05' }),
        status(429, { 'x-ratelimit-reset': '9.5' }),
      ]),
    );
    const { body } = await stack.query(reads.management.document);
    expect(body.errors).toMatchObject([
      { extensions: { code: 'RATE_LIMITED', retryAfterSeconds: 10 } },
    ]);
    expect(calls).toHaveLength(2);
  });
});

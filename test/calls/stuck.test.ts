import type { ServerResponse } from 'node:http';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type GraphQLAnswer, json, result, startStack } from '../support/harness.ts';
import { begin } from '../support/pacing/requests.ts';
import { type Clock, stopTime } from '../support/pacing/time.ts';
import { serve } from '../support/servers.ts';

let clock: Clock;
beforeEach(() => {
  clock = stopTime();
});

/** One caller after the other asks, so many milliseconds apart. The first seven do so in the first three seconds. */
const apartMs = 450;
const callers = 16;
const early = 7;

/** What a read gets in place of an answer; called twice a second, more or less. */
const stuckWays: readonly (readonly [string, (response: ServerResponse) => void])[] = [
  ['hangs', () => undefined],
  [
    'drips a byte a second',
    (response) => {
      if (!response.headersSent) response.writeHead(200, { 'content-type': 'application/json' });
      response.write(' ');
    },
  ],
];

/** Nothing but the read's own bound ends it. */
const patient = { operationTimeoutMs: 60_000 };

/** Lets sockets bring what is on its way. */
const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

/** @param stuckReads so many reads get no answer */
const start = async (drip: (response: ServerResponse) => void, stuckReads = 1) => {
  const stuck: ServerResponse[] = [];
  let reads = 0;
  const { origin } = await serve((_, response) => {
    reads += 1;
    if (reads <= stuckReads) {
      stuck.push(response);
      return;
    }
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ data: [{ id: 'a1', name: `read ${reads}` }] }));
  });
  const stack = await startStack({
    management: () => result([]),
    observability: () => json({}, 500),
    config: { observabilityUrl: new URL(origin), ...patient },
  });
  onTestFinished(() => stack.close());
  const answers: string[] = [];
  let asked = 0;
  let passed = 0;
  const pass = (): void => {
    clock.advance(apartMs);
    passed += 1;
    if (passed % 2 === 0) for (const response of stuck) drip(response);
  };
  const note = ({ body }: GraphQLAnswer): void => {
    answers.push(body.data.alerts?.[0].name ?? body.errors[0].extensions.code);
  };
  return {
    answers,
    reads: () => reads,
    /** So many ask, one after the other; each has begun to read before time passes. */
    ask: async (count: number): Promise<void> => {
      for (let caller = 1; caller <= count; caller += 1) {
        const { answer } = await begin(stack, 'observability', 'alerts { name }');
        asked += 1;
        void answer.then(note);
        await clock.still(() => stuck.length > 0);
        pass();
      }
    },
    pass,
    waiting: () => asked - answers.length,
  };
};

describe.each(stuckWays)('a read that %s', (_, drip) => {
  it('is waited for by those alone who asked in its first seconds; a new read answers all', async () => {
    const { ask, answers, reads, waiting } = await start(drip);
    await ask(early);
    expect([answers, reads()]).toEqual([[], 1]);
    // The first of the others has a new read sent, which answers all who wait.
    await ask(1);
    await expect.poll(waiting).toBe(0);
    expect(answers).toEqual(Array(early + 1).fill('read 2'));
    for (let caller = early + 2; caller <= callers; caller += 1) {
      await ask(1);
      await expect.poll(waiting).toBe(0);
      expect(answers.at(-1)).toBe(`read ${caller - early + 1}`);
    }
  });

  it('is waited for no longer where the one that was sent in its place is stuck, too', async () => {
    const { ask, answers, reads, waiting } = await start(drip, 2);
    await ask(2 * early);
    expect([answers, reads()]).toEqual([[], 2]);
    await ask(1);
    await expect.poll(waiting).toBe(0);
    expect(answers).toEqual(Array(2 * early + 1).fill('read 3'));
  });

  it('fails for those after 25 seconds where nobody else asks', async () => {
    const { ask, pass, answers, reads, waiting } = await start(drip);
    await ask(early);
    let at = early * apartMs;
    const passUntil = async (end: number): Promise<void> => {
      for (; at < end; at += apartMs) {
        pass();
        await turns();
      }
    };
    await passUntil(24_000);
    expect(answers).toEqual([]);
    await passUntil(26_000);
    await expect.poll(waiting).toBe(0);
    expect(answers).toEqual(Array(early).fill('UPSTREAM_TIMEOUT'));
    expect(reads()).toBe(1);
  });
});

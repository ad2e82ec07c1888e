import type { ServerResponse } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { json, result, startStack } from '../support/harness.ts';
import { begin } from '../support/pacing/requests.ts';
import { stopTime } from '../support/pacing/time.ts';
import { serve } from '../support/servers.ts';

/** One caller after the other asks, so far apart: the first seven do so in the first three seconds. */
const apartMs = 450;
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

/** The first read gets no answer. */
const start = async (drip: (response: ServerResponse) => void) => {
  const clock = stopTime();
  const stuck: ServerResponse[] = [];
  let reads = 0;
  const { origin } = await serve((_, response) => {
    reads += 1;
    if (reads === 1) stuck.push(response);
    else {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ data: [{ id: 'a1', name: `read ${reads}` }] }));
    }
  });
  const stack = await startStack({
    management: () => result([]),
    observability: () => json({}, 500),
    // Nothing but the read's own bound ends it.
    config: { observabilityUrl: new URL(origin), operationTimeoutMs: 60_000 },
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
  return {
    answers,
    reads: () => reads,
    /** Each asks once the one before has begun to read and time has passed. */
    ask: async (count: number): Promise<void> => {
      for (let caller = 1; caller <= count; caller += 1) {
        const { answer } = await begin(stack, 'observability', 'alerts { name }');
        asked += 1;
        void answer.then(({ body }) =>
          answers.push(body.data.alerts?.[0].name ?? body.errors[0].extensions.code),
        );
        await clock.still(() => stuck.length > 0);
        pass();
      }
    },
    passUntil: async (end: number): Promise<void> => {
      while (passed * apartMs < end) {
        pass();
        // Lets sockets bring what is on its way.
        for (let turn = 0; turn < 20; turn += 1) await new Promise((done) => setImmediate(done));
      }
    },
    allAnswered: () => expect.poll(() => asked - answers.length).toBe(0),
  };
};

describe.each(stuckWays)('a read that %s', (_, drip) => {
  it('is joined in its first three seconds alone; a later caller has a new read sent that answers all who wait', async () => {
    const { ask, answers, reads, allAnswered } = await start(drip);
    await ask(early);
    expect([answers, reads()]).toEqual([[], 1]);
    await ask(1);
    await allAnswered();
    expect(answers).toEqual(Array(early + 1).fill('read 2'));
  });

  it('fails for those after 25 seconds where nobody else asks', async () => {
    const { ask, passUntil, answers, reads, allAnswered } = await start(drip);
    await ask(early);
    await passUntil(24_000);
    expect(answers).toEqual([]);
    await passUntil(26_000);
    await allAnswered();
    expect([answers, reads()]).toEqual([Array(early).fill('UPSTREAM_TIMEOUT'), 1]);
  });
});

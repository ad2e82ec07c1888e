import { expect, it } from 'vitest';
import type { Answer } from '../../src/upstream/call.ts';
import { createEntries } from '../../src/upstream/reads/entries.ts';
import type { ReadCall } from '../../src/upstream/reads/read-call.ts';
import type { Look } from '../../src/upstream/reads/shared-memory.ts';
import { createTable } from '../../src/upstream/reads/table.ts';
import { givenUp } from '../../src/upstream/sending/abort.ts';
import { answerOf, createTestCaller, readOf } from '../support/upstream/calls.ts';

const ended = new AbortController();

/** The table of reads, with the test in place of Redis and of the upstream. */
const startShared = (uncertainMsOf: (holder: string) => number) => {
  const sent: string[] = [];
  const look = async ({ credential }: { readonly credential: string }): Promise<Look> => ({
    ...{ marks: 'marks', uncertainMs: uncertainMsOf(credential), isDoubtful: false },
    ...{ found: undefined, reader: 'this' },
  });
  const nothing = (): void => undefined;
  const { step } = createTable({
    entries: createEntries({
      ...{ maxBytes: 100_000_000, maxPinnedBytes: 0, maxAgeMs: 60_000, onDrop: nothing },
    }),
    ...{ joins: true, closing: ended.signal, rate: undefined, maxStaleMs: 60_000 },
    shared: { look, keep: nothing, release: nothing, tell: async () => undefined },
    ...{ onFound: nothing, isProven: () => true, provenSince: () => 0, isUsable: () => true },
    polls: { leastMs: 3000, resultOf: nothing, poll: (call) => Promise.reject(givenUp(call)) },
  });
  const next = async (call: ReadCall): Promise<Answer> => {
    sent.push(call.path);
    call.onSent?.(performance.now());
    return { ...answerOf(), sentAt: performance.now() };
  };
  const read = (holder: string, path: string): Promise<Answer> =>
    step(readOf(createTestCaller(), { holder, credential: holder, path, freshMs: 60_000 }), next);
  return { sent, read };
};

it('many reads of one credential after an uncertain write elsewhere drop no answer of another', async () => {
  const { sent, read } = startShared((holder) => (holder === 'writer' ? 30_000 : 0));
  await read('other', '/kept');
  for (let number = 0; number <= 10_000; number += 1) await read('writer', `/${number}`);
  await read('writer', '/0');
  await read('other', '/kept');
  expect(sent.filter((path) => path === '/kept')).toHaveLength(1);
  // What the write may still change is kept for nobody.
  expect(sent.filter((path) => path === '/0')).toHaveLength(2);
});

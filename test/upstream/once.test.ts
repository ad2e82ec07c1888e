import { expect, it } from 'vitest';
import { type Answer, compose, isWrite } from '../../src/upstream/call.ts';
import { createChangeLog } from '../../src/upstream/reads/change-log.ts';
import { createEntries } from '../../src/upstream/reads/entries.ts';
import { once } from '../../src/upstream/reads/once.ts';
import type { ReadCall } from '../../src/upstream/reads/read-call.ts';
import { createWrites } from '../../src/upstream/reads/writes.ts';
import { answerOf, createTestCaller, readOf, settled, writeOf } from '../support/upstream/calls.ts';

/** One request, whose calls have numbers by their order. */
const startRequest = () => {
  const nothing = (): undefined => undefined;
  const sent: PromiseWithResolvers<Answer>[] = [];
  const caller = createTestCaller();
  const writes = createWrites({
    interfaces: ['management', 'observability'],
    entries: createEntries({ maxBytes: 0, maxPinnedBytes: 0, maxAgeMs: 1, onDrop: nothing }),
    log: createChangeLog(() => 0),
    ...{ shared: undefined, isProven: () => true, outcomeOf: nothing },
    watches: { changed: nothing, refused: nothing },
  });
  const way = compose<ReadCall>(
    [once, (call, next) => (isWrite(call) ? writes.send(call, next) : next(call))],
    () => {
      const held = Promise.withResolvers<Answer>();
      sent.push(held);
      return held.promise;
    },
  );
  const results: string[] = [];
  return {
    /** What each read has got: the number of the call that answered it, or that it failed or waits. */
    results,
    read: async (name: string, options: { readonly mustBeSent?: boolean } = {}) => {
      const at = results.push('waits') - 1;
      way(readOf(caller, { path: `/api/v2/${name}`, ...options })).then(
        ({ body }) => (results[at] = `${body}`),
        () => (results[at] = 'failed'),
      );
      await settled();
    },
    write: async () => {
      way(writeOf(caller)).catch(nothing);
      await settled();
    },
    answer: async (...numbers: number[]) => {
      for (const number of numbers) sent[number - 1]?.resolve(answerOf(`${number}`));
      await settled();
    },
    fail: async (number: number) => {
      sent[number - 1]?.reject(new Error('failed'));
      await settled();
    },
  };
};

it('equal reads are one call, while it is under way and afterwards', async () => {
  const { read, answer, results } = startRequest();
  for (const name of ['a', 'a', 'b']) await read(name);
  await answer(1);
  await read('a');
  expect(results).toEqual(['1', '1', 'waits', '1']);
});

it('equal reads are one call that fails', async () => {
  const { read, fail, results } = startRequest();
  await read('a');
  await read('a');
  await fail(1);
  await read('a');
  expect(results).toEqual(['failed', 'failed', 'failed']);
});

it('a fresh read is answered with nothing that was read before, and answers those after it', async () => {
  const { read, answer, results } = startRequest();
  await read('a');
  await read('a', { mustBeSent: true });
  await read('a');
  await answer(1, 2);
  expect(results).toEqual(['1', '2', '2']);
});

it.each(['answered', 'failed'])(
  'a write that is %s forgets what it changes as it begins and as it ends, in any spelling, and what has failed',
  async (end) => {
    const { read, write, answer, fail, results } = startRequest();
    await read('c');
    await (end === 'failed' ? fail(1) : answer(1));
    await read('ALERTS');
    await write();
    await read('ALERTS');
    await (end === 'failed' ? fail(3) : answer(3));
    await read('ALERTS');
    await answer(2, 4, 5);
    await read('c');
    await answer(6);
    const kept = end === 'failed' ? ['failed', '6'] : ['1', '1'];
    expect(results).toEqual([kept[0], '2', '4', '5', kept[1]]);
  },
);

import { expect, it } from 'vitest';
import { type Answer, compose } from '../../src/upstream/call.ts';
import { once } from '../../src/upstream/reads/once.ts';
import { rowsOf } from '../support/rows.ts';
import { answerOf, createTestCaller, readOf, settled, writeOf } from '../support/upstream/calls.ts';

// One request reads and writes; calls have numbers, by their order, and so have its reads. Last comes what each read has.
it.each(
  rowsOf(`
  equal reads are one call, while it is under way and afterwards
    read a, read a, read b, 1 answers, read a -> 1, 1, waits, 1
  equal reads are one call that fails
    read a, read a, 1 fails, read a -> failed, failed, failed
  a fresh read is answered with nothing that was read before, and answers those after it
    read a, read a anew, read a, 1 answers, 2 answers -> 1, 2, 2
  a write that is answered forgets what it changes as it starts, and as it ends, in any spelling
    read c, 1 answers, read ALERTS, write, read ALERTS, 3 answers, read ALERTS, 2 answers, 4 answers, 5 answers, read c
    -> 1, 2, 4, 5, 1
  a write that fails too, and what has failed
    read c, 1 fails, read ALERTS, write, read ALERTS, 3 fails, read ALERTS, 2 answers, 4 answers, 5 answers, read c, 6 answers
    -> failed, 2, 4, 5, 6
  `),
)('%s', async (_, row, outcome) => {
  const sent: PromiseWithResolvers<Answer>[] = [];
  const caller = createTestCaller();
  const way = compose([once], () => {
    const held = Promise.withResolvers<Answer>();
    sent.push(held);
    return held.promise;
  });
  const reads: string[] = [];
  for (const step of row.split(', ')) {
    const [first = '', second = '', third] = step.split(' ');
    const call = sent[Number(first) - 1];
    if (second === 'answers') call?.resolve(answerOf(first));
    else if (second === 'fails') call?.reject(new Error('failed'));
    else if (first === 'write') way(writeOf(caller)).catch(() => undefined);
    else {
      const at = reads.push('waits') - 1;
      way(readOf(caller, { path: `/api/v2/${second}`, mustBeSent: third === 'anew' })).then(
        ({ body }) => (reads[at] = `${body}`),
        () => (reads[at] = 'failed'),
      );
    }
    await settled();
  }
  expect(reads.join(', ')).toBe(outcome);
});

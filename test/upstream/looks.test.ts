import { expect, it } from 'vitest';
import type { Answer } from '../../src/upstream/call.ts';
import { createEntries } from '../../src/upstream/reads/entries.ts';
import type { ReadCall } from '../../src/upstream/reads/read-call.ts';
import type { Look } from '../../src/upstream/reads/shared-memory.ts';
import { createTable } from '../../src/upstream/reads/table.ts';
import { givenUp } from '../../src/upstream/sending/abort.ts';
import { answerOf, createTestCaller, readOf, settled } from '../support/upstream/calls.ts';

const ended = new AbortController();

const nothing = (): void => undefined;
const lookOf = (changes: Partial<Look> = {}): Look => ({
  ...{ marks: 'marks', uncertainMs: 0, isDoubtful: false, found: undefined, reader: 'this' },
  ...changes,
});

/** The table of reads, with the test in place of Redis and of the upstream. */
const startShared = (
  look: (holder: string) => Promise<Look>,
  answer: () => Promise<Answer> = async () => answerOf(),
) => {
  const sent: string[] = [];
  const { step } = createTable({
    interfaces: ['management', 'observability'],
    entries: createEntries({
      ...{ maxBytes: 100_000_000, maxPinnedBytes: 0, maxAgeMs: 60_000, onDrop: nothing },
    }),
    ...{ joins: true, closing: ended.signal, rate: undefined, maxStaleMs: 60_000 },
    shared: {
      look: ({ credential }) => look(credential),
      ...{ keep: nothing, release: nothing, tell: async () => undefined },
    },
    ...{ onFound: nothing, isProven: () => true, provenSince: () => 0, isUsable: () => true },
    polls: { leastMs: 3000, resultOf: nothing, poll: (call) => Promise.reject(givenUp(call)) },
  });
  const next = async (call: ReadCall): Promise<Answer> => {
    const sentAt = performance.now();
    sent.push(call.path);
    call.onSent?.(sentAt);
    return { ...(await answer()), sentAt };
  };
  const read = (holder: string, path: string): Promise<Answer> =>
    step(readOf(createTestCaller(), { holder, credential: holder, path, freshMs: 60_000 }), next);
  return { sent, read };
};

it('many reads of one credential after an uncertain write elsewhere drop no answer of another', async () => {
  const { sent, read } = startShared(async (holder) =>
    lookOf({ uncertainMs: holder === 'writer' ? 30_000 : 0 }),
  );
  await read('other', '/kept');
  for (let number = 0; number <= 10_000; number += 1) await read('writer', `/${number}`);
  await read('writer', '/0');
  await read('other', '/kept');
  expect(sent.filter((path) => path === '/kept')).toHaveLength(1);
  // What the write may still change is kept for nobody.
  expect(sent.filter((path) => path === '/0')).toHaveLength(2);
});

it('what another process has read takes no newer answer away that came during the look', async () => {
  const marks = 'marks';
  const readAt = performance.now();
  const body = Buffer.from('{"data":"older"}');
  const found = { ...{ body, contentType: 'application/json', marks }, sentAt: readAt, readAt };
  const [second, answer] = [Promise.withResolvers<Look>(), Promise.withResolvers<Answer>()];
  const looks = [Promise.resolve(lookOf()), second.promise, Promise.resolve(lookOf())];
  const { read, sent } = startShared(
    () => looks.shift() ?? Promise.reject(new Error('A fourth look')),
    () => answer.promise,
  );
  const reading = read('one', '/path');
  await settled();
  const looking = read('one', '/path');
  await settled();
  answer.resolve(answerOf('{"data":"newer"}'));
  await reading;
  second.resolve(lookOf({ found, reader: undefined }));
  const answers = [await looking, await read('one', '/path')];
  expect(answers.map((each) => String(each.body))).toEqual(Array(2).fill('{"data":"newer"}'));
  expect(sent).toHaveLength(1);
});

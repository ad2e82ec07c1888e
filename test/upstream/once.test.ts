import { expect, it } from 'vitest';
import { compose } from '../../src/upstream/call.ts';
import { once } from '../../src/upstream/reads/once.ts';
import {
  answerOf,
  createHeldSend,
  createTestCaller,
  readOf,
  writeOf,
} from '../support/upstream/calls.ts';

/** One request; `read` gives what it comes to as text. */
const start = () => {
  const { sent, send } = createHeldSend();
  const caller = createTestCaller();
  const way = compose([once], send);
  return {
    sent,
    read: (changes = {}): Promise<string> =>
      way(readOf(caller, changes)).then(
        ({ body }) => `${body}`,
        () => 'failed',
      ),
    write: () => way(writeOf(caller)).catch(() => undefined),
  };
};

it('makes equal reads of a request one call, while it is under way and afterwards, also where it fails', async () => {
  const { sent, read } = start();
  const reads = [read(), read(), read({ path: '/b' })];
  sent[0]?.answer(answerOf('a'));
  sent[1]?.fail(new Error('failed'));
  expect(await Promise.all([...reads, read(), read({ path: '/b' })])).toEqual([
    ...['a', 'a', 'failed', 'a', 'failed'],
  ]);
  expect(sent).toHaveLength(2);
});

it('answers a fresh read with nothing that was read before, and no other read with a fresh one', () => {
  const { sent, read } = start();
  void read();
  void read({ mustBeSent: true });
  void read({ path: '/other', mustBeSent: true });
  void read({ path: '/other' });
  expect(sent).toHaveLength(4);
});

it.each(['is answered', 'fails'])(
  'forgets what a write changes as it starts, and as it ends, in any spelling, and what failed: it %s',
  async (how) => {
    const { sent, read, write } = start();
    const kept = read({ path: '/kept' });
    const failing = read({ path: '/failing' });
    sent[0]?.answer(answerOf('kept'));
    sent[1]?.fail(new Error('failed'));
    await Promise.all([kept, failing]);
    const before = read({ path: '/api/v2/ALERTS' });
    const writing = write();
    const during = read({ path: '/api/v2/ALERTS' });
    if (how === 'fails') sent[3]?.fail(new Error('failed'));
    else sent[3]?.answer();
    await writing;
    const after = [read({ path: '/api/v2/ALERTS' }), read({ path: '/failing' })];
    for (const [index, body] of [
      [2, 'before'],
      [4, 'during'],
      [5, 'after'],
      [6, 'well'],
    ] as const) {
      sent[index]?.answer(answerOf(body));
    }
    expect(await Promise.all([before, during, ...after, read({ path: '/kept' })])).toEqual([
      ...['before', 'during', 'after', 'well', 'kept'],
    ]);
    expect(sent).toHaveLength(7);
  },
);

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

const start = () => {
  const { sent, send } = createHeldSend();
  const caller = createTestCaller();
  const way = compose([once], send);
  return {
    sent,
    read: (changes = {}) => way(readOf(caller, changes)),
    write: () => way(writeOf(caller)),
    caller,
  };
};

it('makes equal reads of a request one call, while it is under way and afterwards', async () => {
  const { sent, read } = start();
  const reads = [read(), read()];
  sent[0]?.answer();
  const answers = await Promise.all([...reads, read()]);
  expect(sent).toHaveLength(1);
  expect(new Set(answers).size).toBe(1);
});

it('keeps a read that has failed', async () => {
  const { sent, read } = start();
  const failing = read();
  sent[0]?.fail(new Error('failed'));
  await expect(failing).rejects.toThrow('failed');
  await expect(read()).rejects.toThrow('failed');
  expect(sent).toHaveLength(1);
});

it('keeps other paths apart', () => {
  const { sent, read } = start();
  void read();
  void read({ path: '/other' });
  expect(sent.map(({ call }) => call.path)).toEqual(['/api/v2/alerts', '/other']);
});

it('answers a fresh read with nothing that was read before, and no other read with a fresh one', () => {
  const { sent, read } = start();
  void read();
  void read({ mustBeSent: true });
  void read({ path: '/other', mustBeSent: true });
  void read({ path: '/other' });
  expect(sent).toHaveLength(4);
});

it.each([
  ['is answered', (write: { answer(): void }) => write.answer()],
  ['fails', (write: { fail(error: unknown): void }) => write.fail(new Error('failed'))],
] as const)('forgets what a write changes as it starts, and as it ends: it %s', async (_, end) => {
  const { sent, read, write, caller } = start();
  const before = read();
  const writing = write().catch(() => undefined);
  expect(caller.reads.size).toBe(0);
  const during = read();
  const [first, second, third] = sent;
  if (second) end(second);
  await writing;
  const after = read();
  expect(sent).toHaveLength(4);
  first?.answer(answerOf('before'));
  third?.answer(answerOf('during'));
  sent[3]?.answer(answerOf('after'));
  const bodies = (await Promise.all([before, during, after, read()])).map(({ body }) => `${body}`);
  expect(bodies).toEqual(['before', 'during', 'after', 'after']);
});

it('forgets what failed when a write comes, and keeps the rest that it does not change', async () => {
  const { sent, read, write } = start();
  const kept = read({ path: '/kept' });
  const failing = read({ path: '/failing' }).catch(() => undefined);
  const [first, second] = sent;
  first?.answer(answerOf('kept'));
  second?.fail(new Error('failed'));
  await Promise.all([kept, failing]);
  const writing = write();
  sent[2]?.answer();
  await writing;
  void read({ path: '/failing' });
  expect(`${(await read({ path: '/kept' })).body}`).toBe('kept');
  expect(sent.map(({ call }) => call.path)).toEqual([
    '/kept',
    '/failing',
    '/api/v2/dashboards/d1',
    '/failing',
  ]);
});

it('forgets what a write changes by another spelling of its path', async () => {
  const { sent, read, write } = start();
  const before = read({ path: '/api/v2/ALERTS' });
  sent[0]?.answer();
  await before;
  const writing = write();
  sent[1]?.answer();
  await writing;
  void read({ path: '/api/v2/ALERTS' });
  expect(sent).toHaveLength(3);
});

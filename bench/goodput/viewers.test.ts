import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { isWhole, read } from './answers.ts';
import { nameOf, stateOf } from './names.ts';
import type { Page } from './pages.ts';
import { watch } from './viewers.ts';

const page: Page = { body: '{"query":"{ page }"}', things: ['service 0.0', 'pipe 0.0.0'] };

const pipe = (version: number, caller = 0, state = stateOf(version)) => ({
  name: nameOf({ thing: 'pipe 0.0.0', caller, version, at: Date.now() }),
  state,
});

const answer = (pipes: readonly unknown[], rest: object = {}): string => {
  const name = nameOf({ thing: 'service 0.0', caller: 0, version: 0, at: Date.now() - 5000 });
  return JSON.stringify({ data: { service: { name, pipes } }, ...rest });
};

test('a view is whole with all its things, in order, of its caller, and with states that belong to them', () => {
  const whole = (text: string): boolean => isWhole(read(text), page, 0);
  assert.equal(whole(answer([pipe(0)])), true);
  assert.equal(whole(answer([pipe(3)])), true);
  assert.equal(whole(answer([])), false);
  assert.equal(whole(answer([null])), false);
  assert.equal(whole(answer([pipe(0), pipe(0)])), false);
  assert.equal(whole(answer([pipe(0, 1)])), false);
  assert.equal(whole(answer([pipe(0, 0, 'Stopped')])), false);
  assert.equal(whole(answer([{ name: 'pipe' }])), false);
  assert.equal(whole(answer([pipe(0)], { errors: [{ message: 'no' }] })), false);
  assert.equal(whole('Too many requests'), false);
});

/** Stops the pipe once, half-way through six views. */
const watchOnce = async (shownAfter: number, commandAnswer: (version: number) => string) => {
  let version = 0;
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    if (!text.includes('mutation')) return response.end(answer([pipe(version && shownAfter)]));
    version += 1;
    return response.end(commandAnswer(version));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const seen = await watch(`http://127.0.0.1:${address.port}`, {
    name: 'test',
    about: '',
    viewers: [{ caller: 0, page, offset: 0, every: 100, times: 6 }],
    commands: { offset: 250, every: 100, times: 1 },
    within: 10_000,
    bounds: { refused: 0 },
  });
  server.close();
  return seen;
};

const payload = (version: number): string =>
  JSON.stringify({ data: { stopPipe: { pipe: pipe(version), userErrors: [] } } });

test('a view sent after a command was answered may not show the state before it', async () => {
  const stale = await watchOnce(0, payload);
  assert.equal(stale.views.length, 6);
  assert.ok(stale.views.every(({ whole, oldest = 0 }) => whole && oldest >= 5000));
  assert.ok(stale.views.filter(({ earlier }) => earlier).length > 0);
  assert.equal(stale.views[0]?.earlier, false);
  const fresh = await watchOnce(1, payload);
  assert.ok(fresh.views.every(({ earlier }) => !earlier));
  assert.equal(fresh.failedCommands, 0);
});

test('a refused command is a failed one, and binds no view', async () => {
  const refused = await watchOnce(0, () => '{"data":null,"errors":[{"message":"no"}]}');
  assert.deepEqual([refused.commands, refused.failedCommands], [1, 1]);
  assert.ok(refused.views.every(({ earlier }) => !earlier));
});

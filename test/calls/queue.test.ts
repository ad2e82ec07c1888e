import { afterEach, expect, it } from 'vitest';
import { createGate, type Gate, leavable } from '../support/faults/gate.ts';
import { status } from '../support/faults/stack.ts';
import { credentials, data, json, type Stack, startStack } from '../support/harness.ts';

let gate: Gate;
let stack: Stack;
afterEach(() => stack.close());
const start = async (config = {}) => {
  gate = createGate();
  stack = await startStack({
    management: () => json({}, 500),
    observability: gate.answering,
    config: { upstreamConnections: 1, ...config },
  });
};

const as = (token: string) => ({ headers: { 'observability-authorization': `Bearer ${token}` } });
const read = '{ alerts { name } }';
let reads = 0;
/** A read that no other request shares. */
const own = (): string => {
  reads += 1;
  return `{ alert(id: "a${reads}") { name } }`;
};
const answer = async (number: number, value: unknown = { id: 'a', name: 'n' }) =>
  (await gate.arrived(number)).answer(data(value));
const write = 'mutation { createDashboard(input: {name: "n"}) { dashboard { name } } }';
/** Lets requests that were just sent go as far as they can: others, sent later, have been answered. */
const settled = async () => {
  for (const _ of [1, 2]) await stack.query('{ __typename }');
};
const unavailable = [{ extensions: { code: 'UPSTREAM_UNAVAILABLE' } }];

it('calls of one credential beyond a quarter of the queue are refused at once', async () => {
  await start();
  const kept = 251;
  const codes: unknown[] = [];
  const ask = async () => {
    const { body } = await stack.query(own());
    codes.push(body.errors?.[0].extensions.code ?? 'answered');
  };
  const asked = Array.from({ length: kept + 20 }, ask);
  // Those that find the queue full are answered while all others wait.
  await expect.poll(() => codes.length).toBe(20);
  expect(new Set(codes)).toEqual(new Set(['UPSTREAM_UNAVAILABLE']));
  for (let answered = 1; answered <= kept; answered += 1) await answer(answered);
  await Promise.all(asked);
  expect(codes.filter((code) => code === 'answered')).toHaveLength(kept);
  expect(stack.calls).toHaveLength(kept);
});

it('callers that wait for a connection get it in turn', async () => {
  await start();
  const answers = [stack.query(own(), as('first'))];
  await gate.arrived(1);
  for (const token of ['many', 'many', 'many', 'one']) {
    answers.push(stack.query(own(), as(token)));
    await settled();
  }
  for (let arrived = 1; arrived <= answers.length; arrived += 1) await answer(arrived);
  expect(gate.calls.map(({ call }) => call.headers.authorization)).toEqual(
    ['first', 'many', 'one', 'many', 'many'].map((token) => `Bearer ${token}`),
  );
  for (const each of answers) expect((await each).body.errors).toBeUndefined();
});

it('a write that waits for a connection is sent when it is its turn', async () => {
  await start();
  const reading = stack.query(read);
  await gate.arrived(1);
  const writing = stack.query(write);
  await settled();
  expect(gate.calls).toHaveLength(1);
  await answer(1, []);
  await answer(2);
  expect((await reading).body.errors).toBeUndefined();
  expect((await writing).body.data.createDashboard.dashboard).toEqual({ name: 'n' });
  expect(stack.calls.map(({ method }) => method)).toEqual(['GET', 'POST']);
});

it('a write that waits for a connection is not sent once its caller has gone', async () => {
  await start();
  const reading = stack.query(read);
  await gate.arrived(1);
  const { leave } = leavable(stack.url, write, credentials);
  await settled();
  await leave();
  await settled();
  await answer(1, []);
  await reading;
  const after = stack.query(read);
  await answer(2, []);
  await after;
  expect(stack.calls.map(({ method }) => method)).toEqual(['GET', 'GET']);
});

it('a write that waits for a connection is not sent once its time is up, and counts as no call', async () => {
  await start({ operationTimeoutMs: 700, writeTimeoutMs: 700 });
  const first = stack.query(read, as('reader'));
  await gate.arrived(1);
  const writing = stack.query(write);
  await settled();
  // Joins the first, and waits longer for it than the write does for its connection.
  const last = stack.query(read, as('reader'));
  expect((await writing).body.errors).toMatchObject([{ extensions: { code: 'UPSTREAM_TIMEOUT' } }]);
  await Promise.all([first, last]);
  await settled();
  expect(stack.calls.map(({ method }) => method)).toEqual(['GET']);
  expect(stack.log()).toMatch(/"operationType":"mutation".*"upstreamCalls":0/);
});

it('a read that waits to be sent again leaves its connection to another', async () => {
  await start();
  const answers = [stack.query('{ alert(id: "first") { name } }')];
  await gate.arrived(1);
  answers.push(stack.query('{ alert(id: "second") { name } }'));
  await settled();
  gate.calls[0]?.answer(status(429, { 'retry-after': '1' }));
  for (const number of [2, 3]) await answer(number);
  for (const each of answers) expect((await each).body.errors).toBeUndefined();
  const ids = gate.calls.map(({ call }) => call.path.split('/').at(-1));
  expect(ids).toEqual(['first', 'second', 'first']);
});

it('the calls of an operation that wait for a connection are not sent once its caller has gone', async () => {
  await start({ upstreamConnections: 8 });
  const dashboards =
    '{ alerts { name } dashboards { name } a: alert(id: "a") { name } alert(id: "a") { name } }';
  const { leave } = leavable(stack.url, dashboards, credentials);
  await gate.arrived(2);
  const closed = gate.calls.map(({ call }) => new Promise<void>((done) => call.onClose(done)));
  await leave();
  await Promise.all(closed);
  await settled();
  expect(gate.calls).toHaveLength(2);
});

it('nothing waits for an upstream whose breaker is open', async () => {
  await start({ upstreamConnections: 8, breakerFailures: 2, maxRetries: 0 });
  const ask = (token: string, document = own()) => stack.query(document, as(token));
  // Two that are held for each of these callers, and one of each that waits.
  const held = ['one', 'two'].flatMap((token) => [ask(token), ask(token), ask(token)]);
  await gate.arrived(4);
  await settled();
  expect(gate.calls).toHaveLength(4);
  const failing = [ask('three'), ask('four', '{ dashboards { name } }')];
  await gate.arrived(6);
  for (const { call, answer } of gate.calls) {
    if (/three|four/.test(String(call.headers.authorization))) answer(json({}, 503));
  }
  await Promise.all(failing);
  // Those that wait are told so, and so is who comes now.
  expect((await Promise.race(held)).body.errors).toMatchObject(unavailable);
  expect((await ask('one')).body.errors).toMatchObject(unavailable);
  for (const { answer } of gate.calls) answer(data({ id: 'a', name: 'n' }));
  const refused = (await Promise.all(held)).filter(({ body }) => body.errors !== undefined);
  expect(refused.map(({ body }) => body.errors)).toMatchObject([unavailable, unavailable]);
  expect(gate.calls).toHaveLength(6);
});

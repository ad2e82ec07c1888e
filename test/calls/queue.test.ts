import { afterEach, describe, expect, it } from 'vitest';
import { createGate, leavable } from '../support/faults/gate.ts';
import { credentials, data, json, type Stack, startStack } from '../support/harness.ts';

let stack: Stack;
afterEach(() => stack.close());

const start = async (config = {}) => {
  const gate = createGate();
  stack = await startStack({
    management: () => json({}, 500),
    observability: gate.answering,
    config: { upstreamConnections: 1, ...config },
  });
  return gate;
};

const as = (token: string) => ({ headers: { 'observability-authorization': `Bearer ${token}` } });
const read = '{ alerts { name } }';
let reads = 0;
/** A read that no other request shares. */
const own = (): string => {
  reads += 1;
  return `{ alert(id: "a${reads}") { name } }`;
};
const alert = { id: 'a', name: 'n' };
const write =
  'mutation { createDashboard(input: {name: "n"}) { dashboard { name } userErrors { code } } }';

/** Lets requests that were just sent go as far as they can: others, sent later, have been answered. */
const settled = async () => {
  for (const _ of [1, 2]) await stack.query('{ __typename }');
};

it('calls of one credential beyond a quarter of the queue are refused at once', async () => {
  const gate = await start();
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
  for (let answered = 1; answered <= kept; answered += 1) {
    (await gate.arrived(answered)).answer(data(alert));
  }
  await Promise.all(asked);
  expect(codes.filter((code) => code === 'answered')).toHaveLength(kept);
  expect(stack.calls).toHaveLength(kept);
});

it('callers that wait for a connection get it in turn', async () => {
  const gate = await start();
  const answers = [stack.query(own(), as('first'))];
  await gate.arrived(1);
  for (const token of ['many', 'many', 'many', 'one']) {
    answers.push(stack.query(own(), as(token)));
    await settled();
  }
  const order: unknown[] = [];
  for (let arrived = 1; arrived <= answers.length; arrived += 1) {
    const { call, answer } = await gate.arrived(arrived);
    order.push(call.headers.authorization);
    answer(data(alert));
  }
  expect(order).toEqual(['first', 'many', 'one', 'many', 'many'].map((token) => `Bearer ${token}`));
  for (const answer of answers) expect((await answer).body.errors).toBeUndefined();
});

describe('a write that waits for a connection', () => {
  it('is sent when it is its turn', async () => {
    const gate = await start();
    const reading = stack.query(read);
    const first = await gate.arrived(1);
    const writing = stack.query(write);
    await settled();
    expect(gate.calls).toHaveLength(1);
    first.answer(data([]));
    const second = await gate.arrived(2);
    expect(second.call.method).toBe('POST');
    second.answer(data({ id: 'd1', name: 'n' }));
    expect((await reading).body.errors).toBeUndefined();
    expect((await writing).body.data.createDashboard.dashboard).toEqual({ name: 'n' });
  });

  it('is not sent once its caller has gone', async () => {
    const gate = await start();
    const reading = stack.query(read);
    const first = await gate.arrived(1);
    const { leave } = leavable(stack.url, write, credentials);
    await settled();
    await leave();
    await settled();
    first.answer(data([]));
    expect((await reading).body.errors).toBeUndefined();
    const after = stack.query(read);
    (await gate.arrived(2)).answer(data([]));
    await after;
    expect(stack.calls.map(({ method }) => method)).toEqual(['GET', 'GET']);
  });

  it('is not sent once its time is up, and counts as no call', async () => {
    const gate = await start({ operationTimeoutMs: 700, writeTimeoutMs: 700 });
    const first = stack.query(read, as('reader'));
    await gate.arrived(1);
    const writing = stack.query(write);
    await settled();
    // Joins the first, and waits longer for it than the write does for its connection.
    const last = stack.query(read, as('reader'));
    const { body } = await writing;
    expect(body.errors).toMatchObject([{ extensions: { code: 'UPSTREAM_TIMEOUT' } }]);
    await Promise.all([first, last]);
    await settled();
    expect(stack.calls.map(({ method }) => method)).toEqual(['GET']);
    const lines = stack
      .log()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toContainEqual(
      expect.objectContaining({ msg: 'operation', operationType: 'mutation', upstreamCalls: 0 }),
    );
  });
});

it('nothing waits for an upstream whose breaker is open', async () => {
  const gate = await start({ upstreamConnections: 8, breakerFailures: 2, maxRetries: 0 });
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
  const refused = await Promise.race(held);
  expect(refused.body.errors).toMatchObject([{ extensions: { code: 'UPSTREAM_UNAVAILABLE' } }]);
  expect((await ask('one')).body.errors).toMatchObject([
    { extensions: { code: 'UPSTREAM_UNAVAILABLE' } },
  ]);
  for (const { answer } of gate.calls) answer(data(alert));
  const codes = (await Promise.all(held)).map(({ body }) => body.errors?.[0].extensions.code);
  expect(codes.filter((code) => code === 'UPSTREAM_UNAVAILABLE')).toHaveLength(2);
  expect(gate.calls).toHaveLength(6);
});

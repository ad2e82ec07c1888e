import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { createGate, leavable } from './fault-gate.ts';
import { credentials, data, json, result, type Stack, startStack } from './harness.ts';

let stack: Stack;
afterEach(() => stack.close());

const start = async (config = {}) => {
  const gate = createGate();
  stack = await startStack({
    management: gate.answering,
    observability: gate.answering,
    config: { maxRetries: 0, ...config },
  });
  return gate;
};

const from = (requestId: string, headers = {}) => ({
  headers: { 'x-request-id': requestId, ...headers },
});

/** Lets a request that was just sent go as far as it can: another one, sent later, has been answered. */
const settled = () => stack.query('{ __typename }');

const read = '{ alert(id: "a1") { name } }';
const organizationId = '5b1f0000-0000-4000-8000-000000000001';

/** The lines that the operations of both requests left in the log, by request. */
const lines = () =>
  ['one', 'two'].flatMap((requestId) =>
    stack
      .log()
      .split('\n')
      .filter((line) => line.includes('"msg":"operation"') && line.includes(`"${requestId}"`))
      .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>),
  );

describe('queries that are executed together', () => {
  it('are answered alike, byte for byte, and logged each by itself', async () => {
    const gate = await start();
    const answers = [stack.query(read, from('one'))];
    const call = await gate.arrived(1);
    answers.push(stack.query(read, from('two')));
    await settled();
    call.answer(data({ id: 'a1', name: 'à "b" \u2028' }));
    const [one, two] = await Promise.all(answers);
    expect(one?.text).toBe('{"data":{"alert":{"name":"à \\"b\\" \u2028"}}}');
    expect(two?.text).toBe(one?.text);
    expect([one, two].map((each) => each?.headers.get('x-request-id'))).toEqual(['one', 'two']);
    expect(lines()).toMatchObject([
      { requestId: 'one', upstreamCalls: 1, codes: [] },
      { requestId: 'two', upstreamCalls: 0, codes: [] },
    ]);
  });

  it('fail alike, each with its own identifier', async () => {
    const gate = await start();
    const answers = [stack.query(read, from('one'))];
    const call = await gate.arrived(1);
    answers.push(stack.query(read, from('two')));
    await settled();
    call.answer(json({}, 503));
    const errors = (await Promise.all(answers)).map(({ body }) => body.errors);
    expect(errors).toMatchObject(
      ['one', 'two'].map((requestId) => [
        { path: ['alert'], extensions: { code: 'UPSTREAM_UNAVAILABLE', requestId } },
      ]),
    );
    expect(lines()).toMatchObject([{ requestId: 'one' }, { requestId: 'two' }]);
    expect(stack.calls).toHaveLength(1);
  });

  it('differ in no variable that is used', async () => {
    const gate = await start();
    const query = 'query ($id: ID!) { alert(id: $id) { name } }';
    const ask = (id: string, unused: number) => stack.query(query, { variables: { id, unused } });
    const answers = [ask('a1', 1), ask('a2', 2), ask('a1', 3), ask('a2', 4)];
    for (const count of [1, 2]) await gate.arrived(count);
    await settled();
    for (const { call, answer } of gate.calls) {
      const id = call.path.split('/').at(-1);
      answer(data({ id, name: `of ${id}` }));
    }
    const names = (await Promise.all(answers)).map(({ body }) => body.data.alert.name);
    expect(names).toEqual(['of a1', 'of a2', 'of a1', 'of a2']);
    expect(gate.calls).toHaveLength(2);
  });
});

it('a query is answered from what its own credentials may see, where another’s differ in one', async () => {
  const gate = await start();
  const query = `{ alert(id: "a1") { name } organization(id: "${organizationId}") { name } }`;
  const basic = (who: string) => ({
    'management-authorization': `Basic ${Buffer.from(`${who}:secret`).toString('base64')}`,
  });
  const answers = [stack.query(query, from('one', basic('one')))];
  await gate.arrived(2);
  answers.push(stack.query(query, from('two', basic('two'))));
  await gate.arrived(3);
  for (const { call, answer } of gate.calls) {
    if (call.upstream === 'observability') answer(data({ id: 'a1', name: 'seen by both' }));
    else answer(result({ id: organizationId, name: String(call.headers.authorization) }));
  }
  const organizations = (await Promise.all(answers)).map(({ body }) => {
    expect(body.data.alert.name).toBe('seen by both');
    return body.data.organization.name;
  });
  expect(organizations).toEqual([
    basic('one')['management-authorization'],
    basic('two')['management-authorization'],
  ]);
});

it('a query that comes when another has had its first answer reads that anew, and joins what is under way', async () => {
  const gate = await start();
  const query = '{ alerts { name dashboard { name } } }';
  const alerts = (name: string) => data([{ id: 'a1', name, dashboard: 'd1' }]);
  const first = stack.query(query, from('one'));
  (await gate.arrived(1)).answer(alerts('before'));
  const dashboard = await gate.arrived(2);
  const second = stack.query(query, from('two'));
  (await gate.arrived(3)).answer(alerts('after'));
  await settled();
  dashboard.answer(data({ id: 'd1', name: 'overview' }));
  const found = (await Promise.all([first, second])).map(({ body }) => body.data.alerts[0]);
  expect(found).toEqual([
    { name: 'before', dashboard: { name: 'overview' } },
    { name: 'after', dashboard: { name: 'overview' } },
  ]);
  expect(stack.calls.map(({ path }) => path)).toEqual([
    '/api/v2/alerts',
    '/api/v2/dashboards/d1',
    '/api/v2/alerts',
  ]);
});

describe('a query that joined another', () => {
  const linked = '{ alerts { name dashboard { name } } }';
  const alerts = data([{ id: 'a1', name: 'lag', dashboard: 'd1' }]);

  it('goes on when the time of that one is up', async () => {
    const gate = await start({ operationTimeoutMs: 3_000 });
    const first = stack.query(read, from('one'));
    const call = await gate.arrived(1);
    await pause(1_500);
    const second = stack.query(read, from('two'));
    expect((await first).body.errors[0].extensions.code).toBe('UPSTREAM_TIMEOUT');
    call.answer(data({ id: 'a1', name: 'in time' }));
    expect((await second).body).toEqual({ data: { alert: { name: 'in time' } } });
    expect(stack.calls).toHaveLength(1);
  });

  it('keeps what has arrived when its own time is up, as that one does', async () => {
    const gate = await start({ operationTimeoutMs: 3_000 });
    const query = `{ organization(id: "${organizationId}") { name } alerts { name } }`;
    const answers = [stack.query(query, from('one'))];
    await gate.arrived(2);
    answers.push(stack.query(query, from('two')), stack.query(query, from('three')));
    await settled();
    for (const { call, answer } of gate.calls) {
      if (call.upstream === 'management') answer(result({ id: organizationId, name: 'ours' }));
    }
    for (const answer of answers) {
      expect((await answer).body).toMatchObject({
        data: { organization: { name: 'ours' }, alerts: null },
        errors: [{ path: ['alerts'], extensions: { code: 'UPSTREAM_TIMEOUT' } }],
      });
    }
    expect(stack.calls).toHaveLength(2);
  });

  it('keeps its calls when the caller of that one goes, in whichever round', async () => {
    const gate = await start();
    const first = leavable(stack.url, linked, { ...credentials, ...from('one').headers });
    const list = await gate.arrived(1);
    const second = stack.query(linked, from('two'));
    await settled();
    list.answer(alerts);
    const dashboard = await gate.arrived(2);
    let closed = false;
    dashboard.call.onClose(() => {
      closed = true;
    });
    await first.leave();
    while (lines().length === 0) await settled();
    dashboard.answer(data({ id: 'd1', name: 'overview' }));
    expect((await second).body).toEqual({
      data: { alerts: [{ name: 'lag', dashboard: { name: 'overview' } }] },
    });
    expect(closed).toBe(false);
    expect(stack.calls).toHaveLength(2);
  });

  it('ends at once when its own caller goes, and has made no call', async () => {
    const gate = await start();
    const first = stack.query(read, from('one'));
    const call = await gate.arrived(1);
    const left = leavable(stack.url, read, { ...credentials, ...from('two').headers });
    await settled();
    await left.leave();
    while (lines().length === 0) await settled();
    expect(lines()).toMatchObject([{ requestId: 'two', upstreamCalls: 0 }]);
    call.answer(data({ id: 'a1', name: 'still here' }));
    expect((await first).body).toEqual({ data: { alert: { name: 'still here' } } });
  });
});

it('equal mutations are each executed, also while the read of one is under way', async () => {
  const gate = await start();
  const update =
    'mutation { updateAlert(input: { alertId: "a1", threshold: 2 }) { alert { name } } }';
  const answers = [stack.query(update), stack.query(update)];
  const alert = data({ id: 'a1', name: 'lag' });
  for (const count of [1, 2, 3, 4]) (await gate.arrived(count)).answer(alert);
  for (const answer of answers) {
    expect((await answer).body).toEqual({ data: { updateAlert: { alert: { name: 'lag' } } } });
  }
  expect(stack.callList()).toEqual([
    'GET /api/v2/alerts/a1',
    'GET /api/v2/alerts/a1',
    'PUT /api/v2/alerts/a1',
    'PUT /api/v2/alerts/a1',
  ]);
});

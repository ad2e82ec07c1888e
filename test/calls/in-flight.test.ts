import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGate, type Gate, leavable } from '../support/faults/gate.ts';
import { data, json, type Stack, startStack } from '../support/harness.ts';

const named = (name: string) => data({ id: 'a1', name });
const path = '/api/v2/alerts/a1';
const read = '{ alert(id: "a1") { name } }';
const write = 'mutation { updateAlert(input: { alertId: "a1", threshold: 2 }) { alert { name } } }';
const deletion =
  'mutation { deleteDashboard(input: {dashboardId: "d1"}) { userErrors { message } } }';
const as = (token: string) => ({ headers: { 'observability-authorization': `Bearer ${token}` } });

let gate: Gate;
let stack: Stack;
const start = async (config = {}) => {
  gate = createGate();
  stack = await startStack({
    management: () => json({}, 500),
    observability: gate.answering,
    config: { maxRetries: 0, explain: true, ...config },
  });
};
beforeEach(() => start());
afterEach(() => stack.close());

/** Lets a request that was just sent go as far as it can: another one, sent later, has been answered. */
const settled = () => stack.query('{ __typename }');
const answer = async (number: number, answer = named(`answer ${number}`)) =>
  (await gate.arrived(number)).answer(answer);
/** What each shows: the name that it read, or its error. */
const shown = async (...answers: readonly ReturnType<Stack['query']>[]) =>
  (await Promise.all(answers)).map(
    ({ body }) => body.data.alert?.name ?? body.errors[0].extensions.code,
  );

describe('a read under way', () => {
  it('is shared by requests of the same credential, and each is told so', async () => {
    const explain = { headers: { 'sluice-explain': '1' } };
    const answers = [stack.query(read, explain), stack.query(read, explain)];
    await gate.arrived(1);
    await settled();
    await answer(1);
    expect(await shown(...answers)).toEqual(['answer 1', 'answer 1']);
    const told = (await Promise.all(answers)).map(({ body }) => body.extensions.upstream);
    expect(told).toMatchObject([1, 2].map(() => [{ path, status: 200, round: 1 }]));
    expect(told.map(([call]) => call.shared).sort()).toEqual([false, true]);
    expect(stack.calls).toHaveLength(1);
  });

  it('is shared with nobody else', async () => {
    const answers = [stack.query(read, as('one')), stack.query(read, as('two'))];
    await gate.arrived(2);
    for (const { call, answer } of gate.calls) answer(named(String(call.headers.authorization)));
    expect(await shown(...answers)).toEqual(['Bearer one', 'Bearer two']);
  });

  it.each([
    ['is not kept once it has arrived', undefined, 'answer 1'],
    ['fails for all, and its failure is not kept', json({}, 503), 'UPSTREAM_UNAVAILABLE'],
  ])('%s', async (_, first, name) => {
    const answers = [stack.query(read), stack.query(read)];
    await gate.arrived(1);
    await settled();
    await answer(1, first);
    expect(await shown(...answers)).toEqual([name, name]);
    const next = stack.query(read);
    await answer(2);
    expect(await shown(next)).toEqual(['answer 2']);
  });

  it('is joined neither by a read that starts after a write has begun, nor by one after it, nor by the read of the write', async () => {
    const before = stack.query(read);
    await gate.arrived(1);
    const writing = stack.query(write);
    await answer(2, named('to be written'));
    const { call } = await gate.arrived(3);
    expect(JSON.parse(call.body)).toEqual({ threshold: 2, name: 'to be written' });
    const during = stack.query(read);
    await gate.arrived(4);
    await answer(3);
    expect((await writing).body.data.updateAlert.alert.name).toBe('answer 3');
    const after = stack.query(read);
    await gate.arrived(5);
    await answer(1);
    expect(await shown(before)).toEqual(['answer 1']);
    await answer(4);
    await answer(5);
    expect(await shown(during, after)).toEqual(['answer 5', 'answer 5']);
    expect(stack.calls.map(({ method }) => method)).toEqual(['GET', 'GET', 'PUT', 'GET', 'GET']);
  });

  it.each([
    ['has no credential', deletion, { headers: { 'observability-authorization': '' } }, 1],
    ['has a credential that no upstream takes', deletion, as('\u00e9'), 1],
    ['has an identifier that cannot be one', deletion.replace('"d1"', '"d 1"'), as('one'), 1],
    ['is of another credential', deletion, as('other'), 2],
  ])('is joined all the same after a write that %s', async (_, document, caller, calls) => {
    const before = stack.query(read, as('one'));
    await gate.arrived(1);
    const writing = stack.query(document, caller);
    await gate.arrived(calls);
    if (calls === 1) await writing;
    const after = stack.query(read, as('one'));
    await settled();
    for (const { answer } of gate.calls) answer(named('shared'));
    expect(await shown(before, after)).toEqual(['shared', 'shared']);
    await writing;
    expect(stack.calls).toHaveLength(calls);
  });
});

describe('a caller who disconnects', () => {
  const leaving = (document = read) => leavable(stack.url, document, as('one').headers);

  it('has what was sent for it finished, for whoever asks next', async () => {
    const { leave } = leaving();
    await gate.arrived(1);
    await leave();
    const next = stack.query(read, as('one'));
    await settled();
    await answer(1);
    expect(await shown(next)).toEqual(['answer 1']);
    expect(stack.calls).toHaveLength(1);
  });

  it('does not end a call that another waits for, and starts no further call', async () => {
    const { leave } = leaving('{ alert(id: "a1") { name dashboard { name } } }');
    await gate.arrived(1);
    const staying = stack.query(read, as('one'));
    await settled();
    await leave();
    await settled();
    await answer(1, data({ id: 'a1', name: 'still here', dashboard: 'd1' }));
    expect(await shown(staying)).toEqual(['still here']);
    await settled();
    expect(stack.callList()).toEqual([`GET ${path}`]);
  });

  it('before its read was sent has it sent for whoever has joined it', async () => {
    await stack.close();
    await start({ upstreamConnections: 1 });
    const { leave } = leaving(`{ dashboard(id: "d1") { name } alert(id: "a1") { name } }`);
    await gate.arrived(1);
    await settled();
    const staying = stack.query(read, as('one'));
    await settled();
    expect(stack.calls).toHaveLength(1);
    await leave();
    await answer(1);
    await answer(2);
    expect(await shown(staying)).toEqual(['answer 2']);
    expect(stack.callList()).toEqual([`GET ${path}`, 'GET /api/v2/dashboards/d1']);
  });
});

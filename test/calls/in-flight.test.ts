import { afterEach, describe, expect, it } from 'vitest';
import { leavable } from '../support/faults/gate.ts';
import { type Answer, type Call, data, json, type Stack, startStack } from '../support/harness.ts';

const alert = (name: string) => data({ id: 'a1', name });
const read = '{ alert(id: "a1") { name } }';
const write =
  'mutation { updateAlert(input: {alertId: "a1", threshold: 1, interval: "1m", thresholdType: ABOVE, source: TILE, dashboardId: "d1", tileId: "t1", channel: {type: "webhook", webhookId: "w"}, name: "n", message: "m"}) { userErrors { message } } }';

const deletion =
  'mutation { deleteDashboard(input: {dashboardId: "d1"}) { userErrors { message } } }';

/** A backend that answers a call only when it is told to, and how. */
const createGate = () => {
  const waiting: { call: Call; answer: (answer: Answer) => void }[] = [];
  const watchers = new Set<() => void>();
  return {
    waiting,
    answering: (call: Call) =>
      new Promise<Answer>((answer) => {
        waiting.push({ call, answer });
        for (const watcher of watchers) watcher();
      }),
    /** Resolves when so many calls have arrived. */
    arrived: (count: number) =>
      new Promise<void>((resolve) => {
        const look = () => {
          if (waiting.length < count) return;
          watchers.delete(look);
          resolve();
        };
        watchers.add(look);
        look();
      }),
  };
};

let stack: Stack;
afterEach(() => stack.close());

const start = async (config = {}) => {
  const gate = createGate();
  stack = await startStack({
    management: () => json({}, 500),
    observability: gate.answering,
    config: { maxRetries: 0, ...config },
  });
  return gate;
};

const as = (token: string) => ({ headers: { 'observability-authorization': `Bearer ${token}` } });

/** Lets a request that was just sent go as far as it can: another one, sent later, has been answered. */
const settled = () => stack.query('{ __typename }');

const names = async (answers: readonly ReturnType<Stack['query']>[]) =>
  (await Promise.all(answers)).map(
    ({ body }) => body.data.alert?.name ?? body.errors[0].extensions.code,
  );

describe('a read under way', () => {
  it('is shared by requests of the same credential', async () => {
    const gate = await start();
    const answers = [stack.query(read, as('one')), stack.query(read, as('one'))];
    await gate.arrived(1);
    await settled();
    gate.waiting[0]?.answer(alert('shared'));
    expect(await names(answers)).toEqual(['shared', 'shared']);
    expect(stack.calls).toHaveLength(1);
  });

  it('is shared with nobody else', async () => {
    const gate = await start();
    const answers = [stack.query(read, as('one')), stack.query(read, as('two'))];
    await gate.arrived(2);
    for (const { call, answer } of gate.waiting) answer(alert(String(call.headers.authorization)));
    expect(await names(answers)).toEqual(['Bearer one', 'Bearer two']);
  });

  it('is not kept once it has arrived', async () => {
    const gate = await start();
    for (const name of ['first', 'second']) {
      const answer = stack.query(read);
      await gate.arrived(stack.calls.length + 1);
      gate.waiting.at(-1)?.answer(alert(name));
      expect(await names([answer])).toEqual([name]);
    }
    expect(stack.calls).toHaveLength(2);
  });

  it('fails for all who share it, and its failure is not kept', async () => {
    const gate = await start();
    const failing = [stack.query(read), stack.query(read)];
    await gate.arrived(1);
    await settled();
    gate.waiting[0]?.answer(json({}, 503));
    expect(await names(failing)).toEqual(['UPSTREAM_UNAVAILABLE', 'UPSTREAM_UNAVAILABLE']);
    const next = stack.query(read);
    await gate.arrived(2);
    gate.waiting[1]?.answer(alert('well again'));
    expect(await names([next])).toEqual(['well again']);
  });

  it('is not joined by a read that starts after a write has begun, nor by one after it has ended', async () => {
    const gate = await start();
    const before = stack.query(read, as('one'));
    await gate.arrived(1);
    const writing = stack.query(write, as('one'));
    await gate.arrived(2);
    gate.waiting[1]?.answer(alert('to be written'));
    await gate.arrived(3);
    const during = stack.query(read, as('one'));
    await gate.arrived(4);
    gate.waiting[2]?.answer(alert('written'));
    await writing;
    const after = stack.query(read, as('one'));
    await gate.arrived(5);
    for (const [index, name] of [
      [0, 'before'],
      [3, 'during'],
      [4, 'after'],
    ] as const) {
      gate.waiting[index]?.answer(alert(name));
    }
    expect(await names([before, during, after])).toEqual(['before', 'after', 'after']);
    expect(stack.calls.map(({ method }) => method)).toEqual(['GET', 'GET', 'PUT', 'GET', 'GET']);
  });

  it.each([
    ['has no credential', deletion, { headers: { 'observability-authorization': '' } }, 1],
    ['has a credential that no upstream takes', deletion, as('\u00e9'), 1],
    ['has an identifier that cannot be one', deletion.replace('"d1"', '"d 1"'), as('one'), 1],
    ['is of another credential', deletion, as('other'), 2],
  ])('is joined all the same after a write that %s', async (_, document, caller, calls) => {
    const gate = await start();
    const before = stack.query(read, as('one'));
    await gate.arrived(1);
    const writing = stack.query(document, caller);
    await gate.arrived(calls);
    if (calls === 1) await writing;
    const after = stack.query(read, as('one'));
    await settled();
    for (const { answer } of gate.waiting) answer(alert('shared'));
    expect(await names([before, after])).toEqual(['shared', 'shared']);
    await writing;
    expect(stack.calls).toHaveLength(calls);
  });

  it('is not joined by the read that an update writes back', async () => {
    const gate = await start();
    const reading = stack.query(read);
    await gate.arrived(1);
    const updating = stack.query(
      'mutation { updateAlert(input: {alertId: "a1", threshold: 2}) { alert { name } } }',
    );
    await gate.arrived(2);
    gate.waiting[0]?.answer(alert('old'));
    gate.waiting[1]?.answer(alert('new'));
    await gate.arrived(3);
    expect(JSON.parse(gate.waiting[2]?.call.body ?? '')).toEqual({ threshold: 2, name: 'new' });
    gate.waiting[2]?.answer(alert('new'));
    expect(await names([reading])).toEqual(['old']);
    expect((await updating).body.data.updateAlert.alert.name).toBe('new');
  });

  it('is told of in the list of calls of each request', async () => {
    const gate = await start();
    const explain = { headers: { 'sluice-explain': '1' } };
    const answers = [stack.query(read, explain), stack.query(read, explain)];
    await gate.arrived(1);
    await settled();
    gate.waiting[0]?.answer(alert('shared'));
    const lists = (await Promise.all(answers)).map(({ body }) => body.extensions.upstream);
    expect(lists.map(([call]) => call.shared).sort()).toEqual([false, true]);
    expect(lists.map(([call]) => [call.path, call.status, call.round])).toEqual([
      ['/api/v2/alerts/a1', 200, 1],
      ['/api/v2/alerts/a1', 200, 1],
    ]);
  });
});

describe('who joins a read', () => {
  /** The same read beside another one: equal to no other operation as a whole. */
  const beside = (dashboard: string) =>
    `{ dashboard(id: "${dashboard}") { name } alert(id: "a1") { name } }`;
  const answerAll = (waiting: readonly { call: Call; answer: (answer: Answer) => void }[]) => {
    for (const { call, answer } of waiting) answer(data({ id: 'x', name: call.path }));
  };
  const found = '/api/v2/alerts/a1';

  it('has it sent though who started it has gone before it was', async () => {
    const gate = await start({ upstreamConnections: 1 });
    const { leave } = leavable(stack.url, beside('d1'), as('one').headers);
    await gate.arrived(1);
    await settled();
    const staying = stack.query(read, as('one'));
    await settled();
    expect(stack.calls).toHaveLength(1);
    await leave();
    gate.waiting[0]?.answer(data({ id: 'd1', name: 'nobody waits for it' }));
    await gate.arrived(2);
    expect(gate.waiting[1]?.call.path).toBe(found);
    answerAll(gate.waiting);
    expect(await names([staying])).toEqual([found]);
    expect(stack.calls).toHaveLength(2);
  });
});

describe('a caller who disconnects', () => {
  const leaving = (controller: AbortController) =>
    fetch(stack.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...as('one').headers },
      body: JSON.stringify({ query: read }),
      signal: controller.signal,
    }).then(
      () => 'answered',
      () => 'gone',
    );

  it('has what was sent for it finished, for whoever asks next', async () => {
    const gate = await start();
    const controller = new AbortController();
    const gone = leaving(controller);
    await gate.arrived(1);
    controller.abort();
    expect(await gone).toBe('gone');
    const next = stack.query(read, as('one'));
    await settled();
    gate.waiting[0]?.answer(alert('finished'));
    expect(await names([next])).toEqual(['finished']);
    expect(stack.calls).toHaveLength(1);
  });

  it('does not end a call that other requests still wait for', async () => {
    const gate = await start();
    const controller = new AbortController();
    const gone = leaving(controller);
    await gate.arrived(1);
    const staying = stack.query(read, as('one'));
    await settled();
    controller.abort();
    expect(await gone).toBe('gone');
    await settled();
    gate.waiting[0]?.answer(alert('still here'));
    expect(await names([staying])).toEqual(['still here']);
    expect(stack.calls).toHaveLength(1);
  });

  it('starts no further call', async () => {
    const gate = await start();
    const controller = new AbortController();
    const gone = fetch(stack.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...as('one').headers },
      body: JSON.stringify({ query: '{ alert(id: "a1") { name dashboard { name } } }' }),
      signal: controller.signal,
    }).catch(() => 'gone');
    await gate.arrived(1);
    // Another waits for the same read, so that it goes on.
    const staying = stack.query(read, as('one'));
    await settled();
    controller.abort();
    expect(await gone).toBe('gone');
    await settled();
    gate.waiting[0]?.answer(data({ id: 'a1', name: 'still here', dashboard: 'd1' }));
    expect(await names([staying])).toEqual(['still here']);
    await settled();
    expect(stack.callList()).toEqual(['GET /api/v2/alerts/a1']);
  });
});

import { afterEach, describe, expect, it } from 'vitest';
import { type Reaction, reset, resetWithinBody } from '../support/faults/backend.ts';
import { createGate, type Gate, leavable } from '../support/faults/gate.ts';
import {
  type FaultGateway,
  ofService,
  oneAfterTheOther,
  organizationId,
  type React,
  reads,
  startFaultGateway,
  status,
  unexpected,
  upstreams,
  well,
} from '../support/faults/stack.ts';
import { type Call, data, type Stack, startStack } from '../support/harness.ts';
import { refusingUrl } from '../support/http/raw.ts';

let gateway: FaultGateway | undefined;
let stack: Stack;
let gate: Gate;
afterEach(async () => {
  await (gateway ?? stack).close();
  gateway = undefined;
});

const start = async (upstream: Call['upstream'], react: React, config = {}) => {
  gateway = await startFaultGateway({ [upstream]: react }, config);
  return { query: gateway.query, calls: gateway[upstream].calls };
};
const limited = (seconds: string) => status(429, { 'x-ratelimit-reset': seconds });
const inSeconds = (seconds: number): string => new Date(Date.now() + 1000 * seconds).toUTCString();

describe.each(upstreams)('a read of %s is sent', (upstream) => {
  const ok = well(upstream);
  const wait = status(429, { 'retry-after': inSeconds(1) });
  const two = status(429, { 'ratelimit-reset': '0.05', 'retry-after': '60' });
  const lasting = status(503, { 'retry-after': '60', 'ratelimit-reset': '0.05' });
  it.each<
    [string, readonly [Reaction, ...Reaction[]], calls: number, code?: string, seconds?: number]
  >([
    ['again after a reset', [reset, ok], 2],
    ['twice more after one thing and another', [resetWithinBody, status(503), ok], 3],
    ['three times in all', [reset, status(503), status(504)], 3, 'UPSTREAM_TIMEOUT'],
    ['no more after a lasting failure', [status(503), status(403)], 2, 'FORBIDDEN'],
    ['again after a 429 with a short wait', [limited('0.05'), ok], 2],
    ['again after a 429 until a date', [wait, ok], 2],
    ['again where another header names a longer wait', [two, ok], 2],
    ['once after a 429 that tells no wait', [status(429)], 1, 'RATE_LIMITED'],
    ['once after a 429 that tells more than two seconds', [limited('2.01')], 1, 'RATE_LIMITED', 3],
    ['until a 429 tells a long wait', [limited('0.05'), limited('9.5')], 2, 'RATE_LIMITED', 10],
    ['once after a 503 that tells a long wait', [lasting], 1, 'UPSTREAM_UNAVAILABLE', 60],
    ['once after a 500', [status(500)], 1, 'UPSTREAM_ERROR'],
  ])('%s', async (_, reactions, times, code, seconds) => {
    const { document, field } = reads[upstream];
    const { query, calls } = await start(upstream, oneAfterTheOther(reactions));
    const body = await query(document);
    expect(body.data).toEqual({ [field]: code ? null : { name: 'well' } });
    const told = body.errors?.[0].extensions;
    expect([told?.code, told?.retryAfterSeconds]).toEqual([code, seconds]);
    // A failure that passes may be tried again.
    expect(told?.retryable).toBe(code && /UNAVAILABLE|TIMEOUT|LIMITED/.test(code));
    expect(calls).toEqual(Array(times).fill(calls[0]));
  });
});

it('a read whose connection is refused is tried three times', async () => {
  const config = { observabilityUrl: await refusingUrl(), explain: true };
  stack = await startStack({ management: unexpected, observability: unexpected, config });
  const headers = { 'sluice-explain': '1' };
  const { body } = await stack.query(reads.observability.document, { headers });
  expect(body.errors).toMatchObject([{ extensions: { code: 'UPSTREAM_UNAVAILABLE' } }]);
  expect(body.extensions.upstream).toHaveLength(3);
});

const createKey = `createApiKey(input: {organizationId: "${organizationId}", roles: [ADMIN]}) { keyId }`;
const update = 'updateAlert(input: {alertId: "a1", threshold: 2}) { alert { name } }';
it.each<[string, Call['upstream'], string]>([
  ['POST', 'observability', 'createDashboard(input: {name: "d"}) { dashboard { name } }'],
  ['DELETE', 'observability', 'deleteDashboard(input: {dashboardId: "d1"}) { deletedDashboardId }'],
  ['PUT', 'observability', update],
  ['POST', 'management', createKey],
  ['PATCH', 'management', `updateServicePassword(input: {${ofService}}) { password }`],
])(
  'a %s to %s is sent once, also after what a read is sent again after',
  async (method, upstream, field) => {
    let failure = status(503);
    const { query, calls } = await start(upstream, (call) =>
      call.method === 'GET' ? well(upstream) : failure,
    );
    const { errors } = await query(`mutation { ${field} }`);
    expect(errors).toMatchObject([
      { extensions: { code: 'UPSTREAM_UNAVAILABLE', retryable: false } },
    ]);
    failure = limited('0.05');
    const { errors: later } = await query(`mutation { ${field} }`);
    expect(later).toMatchObject([{ extensions: { code: 'RATE_LIMITED', retryable: true } }]);
    const writes = calls.filter((call) => !call.startsWith('GET '));
    expect(writes.map((call) => call.split(' ')[0])).toEqual([method, method]);
  },
);

it('of an update that has to read first, the read alone is sent again', async () => {
  let gets = 0;
  const { query, calls } = await start('observability', ({ method }) => {
    if (method === 'GET') gets += 1;
    return method === 'GET' && gets > 1 ? well('observability') : status(503);
  });
  const { errors } = await query(`mutation { ${update} }`);
  expect(errors).toMatchObject([
    { path: ['updateAlert', 'alert'], extensions: { code: 'UPSTREAM_UNAVAILABLE' } },
  ]);
  expect(calls.map((call) => call.split(' ')[0])).toEqual(['GET', 'GET', 'PUT']);
});

it.each([
  [2, 2, null, 'UPSTREAM_UNAVAILABLE'],
  [3, 3, { name: 'well', dashboard: null }, 'UPSTREAM_BUDGET_EXCEEDED'],
  [4, 4, { name: 'well', dashboard: { name: 'well' } }, undefined],
])(
  'each time counts: of %i calls that an operation may make',
  async (maxUpstreamCalls, times, alert, code) => {
    const answer = data({ id: 'x', name: 'well', dashboard: 'd1' });
    const react = oneAfterTheOther([status(503), status(503), answer]);
    const { query, calls } = await start('observability', react, { maxUpstreamCalls });
    const body = await query('{ alert(id: "a1") { name dashboard { name } } }');
    expect(body.data).toEqual({ alert });
    expect(body.errors?.[0].extensions.code).toBe(code);
    expect(calls).toHaveLength(times);
  },
);

describe('a read that is sent again', () => {
  const { document } = reads.observability;
  const as = (token: string) => ({ 'observability-authorization': `Bearer ${token}` });
  const settled = () => stack.query('{ __typename }');
  const startGate = async (config = {}) => {
    gate = createGate();
    stack = await startStack({ management: unexpected, observability: gate.answering, config });
  };
  const answer = async (number: number, reaction = well('observability')) =>
    (await gate.arrived(number)).answer(reaction);
  const inASecond = status(429, { 'retry-after': '1' });

  it.each([
    ['while it is under way', 'before', status(503)],
    ['while it waits to be sent again', 'after', inASecond],
  ])('is so once for all who ask for it %s', async (_, when, failure) => {
    await startGate();
    const answers = [stack.query(`{ a: alert(id: "a1") { name } b: alert(id: "a1") { name } }`)];
    await gate.arrived(1);
    const join = async () => {
      answers.push(stack.query(document));
      await settled();
    };
    if (when === 'before') await join();
    await answer(1, failure);
    await settled();
    if (when === 'after') await join();
    await answer(2);
    for (const each of answers) {
      for (const shown of Object.values((await each).body.data))
        expect(shown).toEqual({ name: 'well' });
    }
    expect(gate.calls).toHaveLength(2);
  });

  it('is not where nobody waits for it any longer', async () => {
    await startGate();
    const { leave } = leavable(stack.url, document, as('leaves'));
    await answer(1, inASecond);
    await settled();
    await leave();
    // Told to wait as long, and later: when this one comes again, the other would have come before.
    const staying = stack.query('{ alert(id: "a2") { name } }', { headers: as('stays') });
    await answer(2, inASecond);
    await answer(3);
    expect((await staying).body.data.alert).toEqual({ name: 'well' });
    expect(gate.calls.map(({ call }) => call.path.at(-1))).toEqual(['1', '2', '2']);
  });

  it('is where one of two still waits for it', async () => {
    await startGate();
    const { leave } = leavable(stack.url, document, as('one'));
    await gate.arrived(1);
    const staying = stack.query(document, { headers: as('one') });
    await settled();
    await answer(1, inASecond);
    await settled();
    await leave();
    await answer(2);
    expect((await staying).body.data.alert).toEqual({ name: 'well' });
  });

  it('is not where it would have to wait beyond the deadline', async () => {
    await startGate({ operationTimeoutMs: 700 });
    const asked = stack.query(document);
    await answer(1, status(429, { 'retry-after': '1.5' }));
    const { body } = await asked;
    expect(['RATE_LIMITED', 'UPSTREAM_TIMEOUT']).toContain(body.errors[0].extensions.code);
    expect(gate.calls).toHaveLength(1);
  });
});

import { describe, expect, it } from 'vitest';
import { upstreams } from '../support/faults/places.ts';
import { reset, resetWithinBody, status } from '../support/faults/reactions.ts';
import {
  ofService,
  organizationId,
  reads,
  startFaultGateway,
  unexpected,
  well,
} from '../support/faults/stack.ts';
import { nowhere } from '../support/gateway.ts';
import { type Call, data, type React, type Reaction } from '../support/harness.ts';

const start = (upstream: Call['upstream'], react: React, config = {}) =>
  startFaultGateway({ [upstream]: react }, config);
/** These reactions in order; the last one is repeated. */
const oneAfterTheOther = (reactions: readonly [Reaction, ...Reaction[]]) => {
  let next = 0;
  return (): Reaction => {
    const reaction = reactions[next] ?? reactions[0];
    next = Math.min(next + 1, reactions.length - 1);
    return reaction;
  };
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
    ['again after a 429 until a date', [wait, ok], 2],
    ['again where another header names a longer wait', [two, ok], 2],
    ['once after a 429 that tells no wait', [status(429)], 1, 'RATE_LIMITED'],
    ['once after a 429 that tells more than two seconds', [limited('2.01')], 1, 'RATE_LIMITED', 3],
    ['until a 429 tells a long wait', [limited('0.05'), limited('9.5')], 2, 'RATE_LIMITED', 10],
    ['once after a 503 that tells a long wait', [lasting], 1, 'UPSTREAM_UNAVAILABLE', 60],
    ['once after a 500', [status(500)], 1, 'UPSTREAM_ERROR'],
  ])('%s', async (_, reactions, times, code, seconds) => {
    const { document, field } = reads[upstream];
    const { query, callList } = await start(upstream, oneAfterTheOther(reactions));
    const body = await query(document);
    expect(body.data).toEqual({ [field]: code ? null : { name: 'well' } });
    const told = body.errors?.[0].extensions;
    expect([told?.code, told?.retryAfterSeconds]).toEqual([code, seconds]);
    // A failure that passes may be tried again.
    expect(told?.retryable).toBe(code && /UNAVAILABLE|TIMEOUT|LIMITED/.test(code));
    expect(callList()).toEqual(Array(times).fill(callList()[0]));
  });
});

it('a read whose connection is refused is tried three times', async () => {
  const config = { observabilityUrl: new URL(nowhere), explain: true };
  const { query } = await start('observability', unexpected, config);
  const body = await query(reads.observability.document, { 'sluice-explain': '1' });
  expect(body.errors).toMatchObject([{ extensions: { code: 'UPSTREAM_UNAVAILABLE' } }]);
  expect(body.extensions.upstream).toHaveLength(3);
});

const createKey = `createApiKey(input: {organizationId: "${organizationId}", name: "k", roles: [ADMIN]}) { keyId }`;
const update = 'updateAlert(input: {alertId: "a1", threshold: 2}) { alert { name } }';
it.each<[string, Call['upstream'], string]>([
  ['POST', 'observability', 'createDashboard(input: {name: "d"}) { dashboard { name } }'],
  ['DELETE', 'observability', 'deleteDashboard(input: {dashboardId: "d1"}) { deletedDashboardId }'],
  ['PUT', 'observability', update],
  ['POST', 'management', createKey],
  ['PATCH', 'management', `updateServicePassword(input: {${ofService}}) { password }`],
])(
  'a %s to %s is sent once, even where a read would be sent again',
  async (method, upstream, field) => {
    let failure = status(503);
    let gets = 0;
    // Of an update that has to read first, the read alone is sent again.
    const { query, calls } = await start(upstream, (call) => {
      if (call.method !== 'GET') return failure;
      gets += 1;
      return gets === 1 ? status(503) : well(upstream);
    });
    const { errors } = await query(`mutation { ${field} }`);
    expect(errors).toMatchObject([
      { extensions: { code: 'UPSTREAM_UNAVAILABLE', retryable: false } },
    ]);
    failure = limited('0.05');
    const { errors: later } = await query(`mutation { ${field} }`);
    expect(later).toMatchObject([{ extensions: { code: 'RATE_LIMITED', retryable: true } }]);
    const methods = calls.map((call) => call.method);
    const expected = method === 'PUT' ? ['GET', 'GET', 'PUT', 'GET', 'PUT'] : [method, method];
    expect(methods).toEqual(expected);
  },
);

it.each([
  [2, 2, null, 'UPSTREAM_UNAVAILABLE'],
  [3, 3, { name: 'well', dashboard: null }, 'UPSTREAM_BUDGET_EXCEEDED'],
  [4, 4, { name: 'well', dashboard: { name: 'well' } }, undefined],
])(
  'each sending of a read counts among the %i calls that an operation may make',
  async (maxUpstreamCalls, times, alert, code) => {
    const answer = data({ id: 'x', name: 'well', dashboard: 'd1' });
    const react = oneAfterTheOther([status(503), status(503), answer]);
    const { query, calls } = await start('observability', react, { maxUpstreamCalls });
    const body = await query('{ alert(alertId: "a1") { name dashboard { name } } }');
    expect(body.data).toEqual({ alert });
    expect(body.errors?.[0].extensions.code).toBe(code);
    expect(calls).toHaveLength(times);
  },
);

it('a read is not sent again where it would have to wait beyond the deadline', async () => {
  const { document } = reads.observability;
  const wait = () => status(429, { 'retry-after': '1.5' });
  const { query, calls } = await start('observability', wait, { operationTimeoutMs: 700 });
  const { errors } = await query(document);
  expect(errors[0].extensions.code).toBe('UPSTREAM_TIMEOUT');
  expect(calls).toHaveLength(1);
});

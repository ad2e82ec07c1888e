import { setTimeout as delay } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { type AnswerError, type Call, data, result, startStack, wide } from '../support/harness.ts';
import { authorizationOf } from '../support/http/raw.ts';
import { numbers } from '../support/world/worlds.ts';

type Upstream = Call['upstream'];

/** What a caller brings, by turns: the upstreams that it reaches, and whether it uses the plain header. */
const kinds: readonly (readonly [reaches: readonly Upstream[], plain?: 'plain'])[] = [
  [['management', 'observability']],
  [['management']],
  [['observability']],
  [['management'], 'plain'],
  [['observability'], 'plain'],
];
const kindOf = (caller: number) => kinds[caller % kinds.length] ?? [[]];
const headersOf = (caller: number): Record<string, string> => {
  const given = {
    management: `Basic ${btoa(`key-${caller}:secret`)}`,
    observability: `Bearer token-${caller}`,
  };
  const [reaches, plain] = kindOf(caller);
  const bring = (upstream: Upstream) =>
    reaches.includes(upstream) && !plain ? given[upstream] : '';
  return {
    'management-authorization': bring('management'),
    'observability-authorization': bring('observability'),
    authorization: plain && reaches[0] ? given[reaches[0]] : '',
    'x-request-id': `request-${caller}`,
  };
};
/** The caller that a call's credential belongs to. */
const callerOf = (call: Call): number => {
  const [scheme, token = ''] = authorizationOf(call).split(' ');
  const expected = call.upstream === 'management' ? 'Basic' : 'Bearer';
  if (scheme !== expected) throw new Error(`${call.upstream} got ${scheme}`);
  return Number(/\d+/.exec(scheme === 'Basic' ? atob(token) : token)?.[0]);
};
const pause = () => delay(Math.random() * 15);

const ids = (caller: number) => ({
  organizationId: `0a9a0000-0000-4000-8000-${String(caller).padStart(12, '0')}`,
  alertId: `a1e4${String(caller).padStart(20, '0')}`,
});

interface Part {
  readonly field: string;
  readonly calls: readonly string[];
  readonly data: object;
  /** Where the credential does not reach the upstream. */
  readonly without: object;
}
/** What one caller asks of each upstream, three times. */
const partsOf = (caller: number): Readonly<Record<Upstream, readonly Part[]>> => {
  const { organizationId: id, alertId } = ids(caller);
  const alert = { name: `alert ${caller}` };
  return {
    management: [
      {
        field: 'organizations { name }',
        calls: ['GET /v1/organizations'],
        data: { organizations: [{ name: `organization ${caller}` }] },
        without: { organizations: null },
      },
      {
        field: `organization(id: "${id}") { invitations { id } }`,
        calls: [`GET /v1/organizations/${id}/invitations`],
        data: { organization: { invitations: [] } },
        without: { organization: { invitations: null } },
      },
      {
        field: `updateOrganization(input: { organizationId: "${id}", name: "of ${caller}" }) { organization { name } }`,
        calls: [`PATCH /v1/organizations/${id} {"name":"of ${caller}"}`],
        data: { updateOrganization: { organization: { name: `renamed ${caller}` } } },
        without: { updateOrganization: { organization: null } },
      },
    ],
    observability: [
      {
        field: 'alerts { name }',
        calls: ['GET /api/v2/alerts'],
        data: { alerts: [alert] },
        without: { alerts: null },
      },
      {
        field: `alert(id: "${alertId}") { name }`,
        calls: [`GET /api/v2/alerts/${alertId}`],
        data: { alert },
        without: { alert: null },
      },
      {
        field: `updateAlert(input: { alertId: "${alertId}", message: "of ${caller}" }) { alert { name } }`,
        calls: [
          `GET /api/v2/alerts/${alertId}`,
          `PUT /api/v2/alerts/${alertId} {"name":"alert ${caller}","message":"of ${caller}"}`,
        ],
        data: { updateAlert: { alert } },
        without: { updateAlert: { alert: null } },
      },
    ],
  };
};

it('a hundred callers at once use their own credentials alone, and get their own data', async () => {
  const stack = await startStack({
    config: wide,
    management: async (call) => {
      const caller = callerOf(call);
      await pause();
      const organization = { id: ids(caller).organizationId, name: `organization ${caller}` };
      if (call.path === '/v1/organizations') return result([organization]);
      return result(call.method === 'GET' ? [] : { ...organization, name: `renamed ${caller}` });
    },
    observability: async (call) => {
      const caller = callerOf(call);
      await pause();
      const alert = { id: ids(caller).alertId, name: `alert ${caller}` };
      return data(call.path === '/api/v2/alerts' ? [alert] : alert);
    },
  });
  onTestFinished(() => stack.close());
  const expectedCalls: string[] = [];
  const ask = async (caller: number, turn: number) => {
    const [reaches] = kindOf(caller);
    const parts = Object.entries(partsOf(caller)).flatMap(([upstream, each]) => {
      const part = each[turn];
      return part ? [{ ...part, upstream, reached: reaches.includes(upstream as Upstream) }] : [];
    });
    for (const { reached, calls } of parts) {
      if (reached) expectedCalls.push(...calls.map((call) => `${caller} ${call}`));
    }
    await pause();
    const document = `${turn === 2 ? 'mutation' : ''} { ${parts.map(({ field }) => field).join(' ')} }`;
    const { body } = await stack.query(document, { headers: headersOf(caller) });
    expect(body.data).toEqual(
      Object.assign({}, ...parts.map((part) => (part.reached ? part.data : part.without))),
    );
    const errors: readonly AnswerError[] = body.errors ?? [];
    expect(errors.map(({ extensions }) => [extensions.upstream.name, extensions.code])).toEqual(
      parts.filter(({ reached }) => !reached).map(({ upstream }) => [upstream, 'UNAUTHENTICATED']),
    );
  };
  await Promise.all(numbers(100).flatMap((caller) => [0, 1, 2].map((turn) => ask(caller, turn))));
  const seen = stack.calls.map((call) =>
    `${callerOf(call)} ${call.method} ${call.path} ${call.body}`.trim(),
  );
  // Each caller asks several times at once, and may share its reads with itself.
  expect(new Set(seen)).toEqual(new Set(expectedCalls));
  for (const call of stack.calls) {
    expect(call.headers['x-request-id']).toBe(`request-${callerOf(call)}`);
  }
});

import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type AnswerError, type Call, data, result, startStack, wide } from '../support/harness.ts';
import { authorizationOf } from '../support/http/raw.ts';

describe('a hundred callers at once', () => {
  const kinds = ['both', 'management', 'observability', 'plain Basic', 'plain Bearer'] as const;
  const kindOf = (caller: number) => kinds[caller % kinds.length] ?? 'both';
  const reaches = (caller: number, upstream: 'management' | 'observability'): boolean => {
    const kind = kindOf(caller);
    if (kind === 'both') return true;
    return upstream === 'management'
      ? kind === 'management' || kind === 'plain Basic'
      : kind === 'observability' || kind === 'plain Bearer';
  };
  const headersOf = (caller: number): Record<string, string> => {
    const basic = `Basic ${btoa(`key-${caller}:secret`)}`;
    const bearer = `Bearer token-${caller}`;
    const kind = kindOf(caller);
    const plain = kind === 'plain Basic' ? basic : bearer;
    return {
      'management-authorization': kind === 'both' || kind === 'management' ? basic : '',
      'observability-authorization': kind === 'both' || kind === 'observability' ? bearer : '',
      authorization: kind.startsWith('plain') ? plain : '',
      'x-request-id': `request-${caller}`,
    };
  };

  const ids = (caller: number) => ({
    organizationId: `0a9a0000-0000-4000-8000-${String(caller).padStart(12, '0')}`,
    alertId: `a1e4${String(caller).padStart(20, '0')}`,
  });
  /** The caller that a call's credential belongs to. */
  const callerOf = (call: Call): number => {
    const [scheme, token = ''] = authorizationOf(call).split(' ');
    const expected = call.upstream === 'management' ? 'Basic' : 'Bearer';
    if (scheme !== expected) throw new Error(`${call.upstream} got ${scheme}`);
    const text = scheme === 'Basic' ? Buffer.from(token, 'base64').toString() : token;
    return Number(/\d+/.exec(text)?.[0]);
  };
  const pause = () => delay(Math.random() * 15);

  const startShared = () =>
    startStack({
      config: wide,
      management: async (call) => {
        const caller = callerOf(call);
        await pause();
        const organization = { id: ids(caller).organizationId, name: `organization ${caller}` };
        if (call.path === '/v1/organizations') return result([organization]);
        if (call.path.endsWith('/invitations')) return result([]);
        return result({ ...organization, name: `renamed ${caller}` });
      },
      observability: async (call) => {
        const caller = callerOf(call);
        await pause();
        const alert = { id: ids(caller).alertId, name: `alert ${caller}` };
        return data(call.path === '/api/v2/alerts' ? [alert] : alert);
      },
    });

  /** The operations of one caller, with what they answer and call at each upstream. */
  const operationsOf = (caller: number) => {
    const { organizationId: id, alertId } = ids(caller);
    const alert = { name: `alert ${caller}` };
    return [
      {
        document: '{ organizations { name } alerts { name } }',
        management: {
          calls: ['GET /v1/organizations'],
          data: { organizations: [{ name: `organization ${caller}` }] },
          without: { organizations: null },
        },
        observability: {
          calls: ['GET /api/v2/alerts'],
          data: { alerts: [alert] },
          without: { alerts: null },
        },
      },
      {
        document: `{ organization(id: "${id}") { invitations { id } } alert(id: "${alertId}") { name } }`,
        management: {
          calls: [`GET /v1/organizations/${id}/invitations`],
          data: { organization: { invitations: [] } },
          without: { organization: { invitations: null } },
        },
        observability: {
          calls: [`GET /api/v2/alerts/${alertId}`],
          data: { alert },
          without: { alert: null },
        },
      },
      {
        document: `mutation {
          updateOrganization(input: { organizationId: "${id}", name: "of ${caller}" }) {
            organization { name } }
          updateAlert(input: { alertId: "${alertId}", message: "of ${caller}" }) { alert { name } }
        }`,
        management: {
          calls: [`PATCH /v1/organizations/${id} {"name":"of ${caller}"}`],
          data: { updateOrganization: { organization: { name: `renamed ${caller}` } } },
          without: { updateOrganization: { organization: null } },
        },
        observability: {
          calls: [
            `GET /api/v2/alerts/${alertId}`,
            `PUT /api/v2/alerts/${alertId} {"name":"alert ${caller}","message":"of ${caller}"}`,
          ],
          data: { updateAlert: { alert } },
          without: { updateAlert: { alert: null } },
        },
      },
    ];
  };

  it('use their own credentials alone, and get their own data', async () => {
    const shared = await startShared();
    const callers = Array.from({ length: 100 }, (_, index) => index + 1);
    const expectedCalls: string[] = [];
    const asked = callers.flatMap((caller) =>
      operationsOf(caller).map(async ({ document, management, observability }) => {
        const expected: object[] = [];
        const unauthenticated: string[] = [];
        for (const [upstream, part] of Object.entries({ management, observability })) {
          const reached = reaches(caller, upstream as 'management' | 'observability');
          expected.push(reached ? part.data : part.without);
          if (reached) expectedCalls.push(...part.calls.map((call) => `${caller} ${call}`));
          else unauthenticated.push(upstream);
        }
        await pause();
        const { body } = await shared.query(document, { headers: headersOf(caller) });
        expect(body.data).toEqual(Object.assign({}, ...expected));
        expect(
          (body.errors ?? []).map(({ extensions }: AnswerError) => [
            extensions.upstream.name,
            extensions.code,
          ]),
        ).toEqual(unauthenticated.map((upstream) => [upstream, 'UNAUTHENTICATED']));
      }),
    );
    await Promise.all(asked);
    await shared.close();
    const seen = shared.calls.map((call) =>
      `${callerOf(call)} ${call.method} ${call.path} ${call.body}`.trim(),
    );
    // Each caller asks several times at once, and may share its reads with itself.
    const comparable = (calls: readonly string[]) => [...new Set(calls)].sort();
    expect(comparable(seen)).toEqual(comparable(expectedCalls));
    for (const call of shared.calls) {
      expect(call.headers['x-request-id']).toBe(`request-${callerOf(call)}`);
    }
  });
});

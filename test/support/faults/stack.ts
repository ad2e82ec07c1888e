import {
  type Answer,
  type Call,
  json,
  type React,
  type StackOptions,
  stackInTest,
} from '../harness.ts';
import { success, type UpstreamName } from './places.ts';

export const organizationId = '0a9a0000-0000-4000-8000-000000000001';
export const serviceId = '5e4c0000-0000-4000-8000-000000000001';
export const ofService = `organizationId: "${organizationId}", serviceId: "${serviceId}"`;

/** A read with one call, for each upstream. */
export const reads = {
  management: { document: `{ service(${ofService}) { name } }`, field: 'service' },
  observability: { document: '{ alert(alertId: "a1") { name } }', field: 'alert' },
} as const;

/** Writes: each makes exactly one call, whatever its result. */
export const writes = {
  management: `mutation { updateOrganization(input: {organizationId: "${organizationId}", name: "n"})
    { organization { name } userErrors { code } } }`,
  observability:
    'mutation { createDashboard(input: {name: "n"}) { dashboard { name } userErrors { code } } }',
} as const;

/** The credentials of a second caller. */
export const otherCredentials = {
  'management-authorization': 'Basic b3RoZXI6b3RoZXI=',
  'observability-authorization': 'Bearer token-of-the-other',
} as const;

/** The answer of an upstream that should get no call. */
export const unexpected = (): Answer => json({ status: 418, error: 'unexpected' }, 418);

/** A successful answer for both reads above. */
export const well = (upstream: UpstreamName): Answer =>
  success(upstream, { id: 'a1', name: 'well' });

/** The gateway between two backends, until the test ends; an omitted backend must get no call. */
export const startFaultGateway = async (
  reacts: Partial<Record<UpstreamName, React>>,
  config: StackOptions['config'] = {},
  gateway: StackOptions['gateway'] = {},
) => {
  const both = { management: unexpected, observability: unexpected, ...reacts };
  const stack = await stackInTest({ ...both, config, gateway });
  return {
    ...stack,
    /** The body of an operation's answer, by default with both credentials of the first caller. */
    query: async (document: string, headers: Readonly<Record<string, string>> = {}) =>
      (await stack.query(document, { headers })).body,
    callsOf: (name: UpstreamName): readonly Call[] =>
      stack.calls.filter(({ upstream }) => upstream === name),
    /** The state of an upstream's breaker according to `/readyz`. */
    breaker: async (upstream: UpstreamName): Promise<string> => {
      const { upstreams } = await (await fetch(new URL('/readyz', stack.url))).json();
      return upstreams[upstream].breaker;
    },
  };
};

export type FaultGateway = Awaited<ReturnType<typeof startFaultGateway>>;

import type { Answer } from '../harness.ts';
import { success, type UpstreamName } from './kinds.ts';

/** A field of an operation, with its upstream calls and its result. */
interface Part {
  readonly field: string;
  readonly data: object;
  /** The answers by `METHOD /path`, in the order of the calls. */
  readonly answers: Readonly<Record<string, Answer>>;
}

interface Faulted extends Part {
  /** The call that fails. */
  readonly call: string;
  /** The path of its error. */
  readonly path: readonly (string | number)[];
}

/** An operation in which one call to `upstream` fails, between fields that must not be affected. */
export interface Place {
  readonly upstream: UpstreamName;
  readonly kind: 'query' | 'mutation';
  readonly faulted: Faulted;
  /** Reads the same upstream first. */
  readonly same: Part;
  /** Reads the other upstream. */
  readonly other: Part;
}

const organization = '0a9a0000-0000-4000-8000-000000000001';
const service = '5e4c0000-0000-4000-8000-000000000001';
const organizationPath = `/v1/organizations/${organization}`;
const ofService = `organizationId: "${organization}", serviceId: "${service}"`;

const named = { name: 'intact' };
const intact = (upstream: UpstreamName, call: string, field: string, data: object): Part => ({
  ...{ field, data },
  answers: { [call]: success(upstream, { id: 'x1', ...named }) },
});

const roots = {
  management: intact(
    'management',
    `GET ${organizationPath}`,
    `organization(id: "${organization}") { name }`,
    {
      organization: named,
    },
  ),
  observability: intact('observability', 'GET /api/v2/alerts/a1', 'alert(id: "a1") { name }', {
    alert: named,
  }),
};
const writes = {
  management: intact(
    'management',
    `PATCH ${organizationPath}`,
    `updateOrganization(input: {organizationId: "${organization}", name: "intact"}) { organization { name } userErrors { code } }`,
    { updateOrganization: { organization: named, userErrors: [] } },
  ),
  observability: intact(
    'observability',
    'POST /api/v2/dashboards',
    'createDashboard(input: {name: "intact"}) { dashboard { name } userErrors { code } }',
    { createDashboard: { dashboard: named, userErrors: [] } },
  ),
};

const faults: Readonly<Record<UpstreamName, Readonly<Record<Place['kind'], Faulted>>>> = {
  management: {
    query: {
      field: `service(${ofService}) { id name }`,
      data: { service: null },
      answers: {},
      call: `GET ${organizationPath}/services/${service}`,
      path: ['service'],
    },
    mutation: {
      field: `updateServiceScaling(input: {${ofService}, idleScaling: true}) { service { name } userErrors { code } }`,
      data: { updateServiceScaling: { service: null, userErrors: [] } },
      answers: {},
      call: `PATCH ${organizationPath}/services/${service}/scaling`,
      path: ['updateServiceScaling', 'service'],
    },
  },
  observability: {
    query: {
      field: 'dashboard(id: "d1") { id name }',
      data: { dashboard: null },
      answers: {},
      call: 'GET /api/v2/dashboards/d1',
      path: ['dashboard'],
    },
    mutation: {
      field:
        'updateAlert(input: {alertId: "a1", threshold: 1}) { alert { name } userErrors { code } }',
      data: { updateAlert: { alert: null, userErrors: [] } },
      answers: { 'GET /api/v2/alerts/a1': success('observability', { id: 'a1' }) },
      // Clients with retries usually consider PUT repeatable.
      call: 'PUT /api/v2/alerts/a1',
      path: ['updateAlert', 'alert'],
    },
  },
};

export const otherThan = (upstream: UpstreamName): UpstreamName =>
  upstream === 'management' ? 'observability' : 'management';

export const places: readonly Place[] = (['management', 'observability'] as const).flatMap(
  (upstream) =>
    (['query', 'mutation'] as const).map((kind): Place => {
      const beside = kind === 'mutation' ? writes : roots;
      return {
        ...{ upstream, kind, faulted: faults[upstream][kind] },
        ...{ same: beside[upstream], other: beside[otherThan(upstream)] },
      };
    }),
);

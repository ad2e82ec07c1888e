import type { Answer } from '../harness.ts';
import { withIds } from '../world/ids.ts';
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

const organization = withIds('/v1/organizations/organization-1');
const service = withIds('/v1/organizations/organization-1/services/service-1');
const ofService = withIds('@service-1');

const intact = (upstream: UpstreamName, call: string, field: string, data: object): Part => ({
  ...{ field: withIds(field), data },
  answers: { [call]: success(upstream, { id: 'x1', name: 'intact' }) },
});
const name = 'intact';
const fieldOf = {
  query: 'organization(id: "organization-1") { name }',
  mutation:
    'updateOrganization(input: {@organization-1, name: "intact"}) { organization { name } userErrors { code } }',
};
const board = 'createDashboard(input: {name: "intact"}) { dashboard { name } userErrors { code } }';
const beside: Readonly<Record<Place['kind'], Readonly<Record<UpstreamName, Part>>>> = {
  query: {
    management: intact('management', `GET ${organization}`, fieldOf.query, {
      organization: { name },
    }),
    observability: intact('observability', 'GET /api/v2/alerts/a1', 'alert(id: "a1") { name }', {
      alert: { name },
    }),
  },
  mutation: {
    management: intact('management', `PATCH ${organization}`, fieldOf.mutation, {
      updateOrganization: { organization: { name }, userErrors: [] },
    }),
    observability: intact('observability', 'POST /api/v2/dashboards', board, {
      createDashboard: { dashboard: { name }, userErrors: [] },
    }),
  },
};

const faulted = (path: readonly string[], call: string, field: string, answers = {}): Faulted => {
  const [first = '', second] = path;
  const data = { [first]: second ? { [second]: null, userErrors: [] } : null };
  return { path, call, field, data, answers };
};
const scaling = `updateServiceScaling(input: {${ofService}, idleScaling: true}) { service { name } userErrors { code } }`;
const update =
  'updateAlert(input: {alertId: "a1", threshold: 1}) { alert { name } userErrors { code } }';
const faults: Readonly<Record<UpstreamName, Readonly<Record<Place['kind'], Faulted>>>> = {
  management: {
    query: faulted(['service'], `GET ${service}`, `service(${ofService}) { id name }`),
    mutation: faulted(['updateServiceScaling', 'service'], `PATCH ${service}/scaling`, scaling),
  },
  observability: {
    query: faulted(['dashboard'], 'GET /api/v2/dashboards/d1', 'dashboard(id: "d1") { id name }'),
    // Clients with retries usually consider PUT repeatable.
    mutation: faulted(['updateAlert', 'alert'], 'PUT /api/v2/alerts/a1', update, {
      'GET /api/v2/alerts/a1': success('observability', { id: 'a1' }),
    }),
  },
};

export const otherThan = (upstream: UpstreamName): UpstreamName =>
  upstream === 'management' ? 'observability' : 'management';

export const places: readonly Place[] = (['management', 'observability'] as const).flatMap(
  (upstream) =>
    (['query', 'mutation'] as const).map((kind) => ({
      ...{ upstream, kind, faulted: faults[upstream][kind] },
      ...{ same: beside[kind][upstream], other: beside[kind][otherThan(upstream)] },
    })),
);

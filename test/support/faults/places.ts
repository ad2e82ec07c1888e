import { type Answer, type Call, data, result } from '../harness.ts';
import { withIds } from '../world/ids.ts';

export type UpstreamName = Call['upstream'];
export const upstreams = ['management', 'observability'] as const;

export const otherThan = (upstream: UpstreamName): UpstreamName =>
  upstream === 'management' ? 'observability' : 'management';

/** A success of an upstream. */
export const success = (upstream: UpstreamName, value: unknown): Answer =>
  upstream === 'management' ? result(value) : data(value);

/** A field of an operation, with its result and its upstream calls. */
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
  readonly path: readonly string[];
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

/** A field as in `alert(alertId: "a1")` or, of a mutation, `updateAlert(input: { … }) dashboard`, with the object of its payload. */
const fieldOf = (text: string, record: object | null) => {
  const [, root = '', member] = /^(\w+).*\)(?: (\w+))?$/.exec(text) ?? [];
  const head = withIds(member ? text.slice(0, -member.length - 1) : text);
  return {
    field: `${head} { ${member ? `${member} { name } userErrors { code }` : 'name'} }`,
    data: { [root]: member ? { [member]: record, userErrors: [] } : record },
    path: member ? [root, member] : [root],
  };
};
const intact = (upstream: UpstreamName, call: string, text: string): Part => ({
  ...fieldOf(text, { name: 'intact' }),
  answers: { [withIds(call)]: success(upstream, { id: 'x1', name: 'intact' }) },
});
const faulted = (call: string, text: string, answers = {}): Faulted => ({
  ...{ ...fieldOf(text, null), call: withIds(call), answers },
});

const path = '/v1/organizations/organization-1';
const scaling = 'updateServiceScaling(input: { @service-1, idleScaling: true }) service';
// Clients with retries usually consider PUT repeatable.
const update = 'updateAlert(input: { alertId: "a1", threshold: 1 }) alert';
const parts = {
  query: {
    management: [
      intact('management', `GET ${path}`, 'organization(organizationId: "organization-1")'),
      faulted(`GET ${path}/services/service-1`, 'service(@service-1)'),
    ],
    observability: [
      intact('observability', 'GET /api/v2/alerts/a1', 'alert(alertId: "a1")'),
      faulted('GET /api/v2/dashboards/d1', 'dashboard(dashboardId: "d1")'),
    ],
  },
  mutation: {
    management: [
      intact(
        ...(['management', `PATCH ${path}`] as const),
        'updateOrganization(input: { @organization-1, name: "intact" }) organization',
      ),
      faulted(`PATCH ${path}/services/service-1/scaling`, scaling),
    ],
    observability: [
      intact(
        ...(['observability', 'POST /api/v2/dashboards'] as const),
        'createDashboard(input: { name: "intact" }) dashboard',
      ),
      faulted('PUT /api/v2/alerts/a1', update, {
        'GET /api/v2/alerts/a1': success('observability', { id: 'a1' }),
      }),
    ],
  },
} as const;

export const places: readonly Place[] = upstreams.flatMap((upstream) =>
  (['query', 'mutation'] as const).map((kind): Place => {
    const [same, failing] = parts[kind][upstream];
    return { upstream, kind, same, faulted: failing, other: parts[kind][otherThan(upstream)][0] };
  }),
);

import type { Answer } from '../harness.ts';
import { success, type UpstreamName } from './kinds.ts';

const organization = '0a9a0000-0000-4000-8000-000000000001';
const first = '5e4c0000-0000-4000-8000-000000000001';
const second = '5e4c0000-0000-4000-8000-000000000002';
const organizationPath = `/v1/organizations/${organization}`;
const servicesPath = `${organizationPath}/services`;
const ofService = `organizationId: "${organization}", serviceId: "${first}"`;

/** A field of an operation, with what it takes upstream and what comes of it. */
interface Part {
  readonly field: string;
  readonly data: object;
  /** `METHOD /path` → what is answered, in the order of the calls. */
  readonly answers: Readonly<Record<string, Answer>>;
}

interface Faulted extends Part {
  /** The call that fails. */
  readonly call: string;
  /** Where its error stands. */
  readonly path: readonly (string | number)[];
}

export type PlaceName = 'a root field' | 'a link below a list' | 'a mutation';

/** An operation whose one call to `upstream` fails, between fields that must not suffer. */
export interface Place {
  readonly upstream: UpstreamName;
  readonly place: PlaceName;
  readonly kind: 'query' | 'mutation';
  readonly faulted: Faulted;
  /** Asks the same upstream, before. */
  readonly same: Part;
  /** Asks the other upstream. */
  readonly other: Part;
}

const part = (
  upstream: UpstreamName,
  field: string,
  call: string,
  answer: object,
  data: object,
): Part => ({ field, data, answers: { [call]: success(upstream, answer) } });

const named = { name: 'intact' };

const roots = {
  management: part(
    'management',
    `organization(id: "${organization}") { name }`,
    `GET ${organizationPath}`,
    { id: organization, ...named },
    { organization: named },
  ),
  observability: part(
    'observability',
    'alert(id: "a1") { name }',
    'GET /api/v2/alerts/a1',
    { id: 'a1', ...named },
    { alert: named },
  ),
} satisfies Record<UpstreamName, Part>;

const writes = {
  management: part(
    'management',
    `updateOrganization(input: {organizationId: "${organization}", name: "intact"}) {
      organization { name } userErrors { code } }`,
    `PATCH ${organizationPath}`,
    { id: organization, ...named },
    { updateOrganization: { organization: named, userErrors: [] } },
  ),
  observability: part(
    'observability',
    'createDashboard(input: {name: "intact"}) { dashboard { name } userErrors { code } }',
    'POST /api/v2/dashboards',
    { id: 'd9', ...named },
    { createDashboard: { dashboard: named, userErrors: [] } },
  ),
} satisfies Record<UpstreamName, Part>;

const faultedRoots: Record<UpstreamName, Faulted> = {
  management: {
    field: `service(${ofService}) { id name }`,
    data: { service: null },
    answers: {},
    call: `GET ${servicesPath}/${first}`,
    path: ['service'],
  },
  observability: {
    field: 'dashboard(id: "d1") { id name }',
    data: { dashboard: null },
    answers: {},
    call: 'GET /api/v2/dashboards/d1',
    path: ['dashboard'],
  },
};

const backup = { backupStartTime: '02:00' };

const faultedLinks: Record<UpstreamName, Faulted> = {
  management: {
    field: `services: organization(id: "${organization}") {
      services { name backupConfiguration { backupStartTime } } }`,
    data: {
      services: {
        services: [
          { name: 'first', backupConfiguration: backup },
          { name: 'second', backupConfiguration: null },
        ],
      },
    },
    answers: {
      [`GET ${servicesPath}`]: success('management', [
        { id: first, name: 'first' },
        { id: second, name: 'second' },
      ]),
      [`GET ${servicesPath}/${first}/backupConfiguration`]: success('management', backup),
    },
    call: `GET ${servicesPath}/${second}/backupConfiguration`,
    path: ['services', 'services', 1, 'backupConfiguration'],
  },
  observability: {
    field: 'alerts { name dashboardId dashboard { name } }',
    data: {
      alerts: [
        { name: 'lag', dashboardId: 'd1', dashboard: null },
        { name: 'errors', dashboardId: null, dashboard: null },
      ],
    },
    answers: {
      'GET /api/v2/alerts': success('observability', [
        { id: 'a2', name: 'lag', dashboard: 'd1' },
        { id: 'a3', name: 'errors' },
      ]),
    },
    call: 'GET /api/v2/dashboards/d1',
    path: ['alerts', 0, 'dashboard'],
  },
};

const faultedWrites: Record<UpstreamName, Faulted> = {
  management: {
    field: `updateServiceScaling(input: {${ofService}, idleScaling: true}) {
      service { name } userErrors { code } }`,
    data: { updateServiceScaling: { service: null, userErrors: [] } },
    answers: {},
    call: `PATCH ${servicesPath}/${first}/scaling`,
    path: ['updateServiceScaling', 'service'],
  },
  observability: {
    field: `updateAlert(input: {alertId: "a1", threshold: 1, interval: "1m", thresholdType: ABOVE,
      source: TILE, dashboardId: "d1", tileId: "t1", channel: {type: "webhook", webhookId: "w"},
      name: "n", message: "m"}) { alert { name } userErrors { code } }`,
    data: { updateAlert: { alert: null, userErrors: [] } },
    answers: { 'GET /api/v2/alerts/a1': success('observability', { id: 'a1' }) },
    // PUT is what retrying clients take for repeatable.
    call: 'PUT /api/v2/alerts/a1',
    path: ['updateAlert', 'alert'],
  },
};

const upstreams = ['management', 'observability'] as const;

export const otherThan = (upstream: UpstreamName): UpstreamName =>
  upstream === 'management' ? 'observability' : 'management';

export const places: readonly Place[] = upstreams.flatMap((upstream) => {
  const other = otherThan(upstream);
  const reading = { upstream, kind: 'query', same: roots[upstream], other: roots[other] } as const;
  return [
    { ...reading, place: 'a root field', faulted: faultedRoots[upstream] },
    { ...reading, place: 'a link below a list', faulted: faultedLinks[upstream] },
    {
      upstream,
      place: 'a mutation',
      kind: 'mutation',
      same: writes[upstream],
      other: writes[other],
      faulted: faultedWrites[upstream],
    },
  ];
});

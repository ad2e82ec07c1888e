import type { Answer } from '../harness.ts';
import { success, type UpstreamName } from './kinds.ts';

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

/** An operation whose one call to `upstream` fails, between fields that must not suffer. */
export interface Place {
  readonly upstream: UpstreamName;
  readonly place: 'a root field' | 'a link below a list' | 'a mutation';
  readonly kind: 'query' | 'mutation';
  readonly faulted: Faulted;
  /** Asks the same upstream, before. */
  readonly same: Part;
  /** Asks the other upstream. */
  readonly other: Part;
}

const organization = '0a9a0000-0000-4000-8000-000000000001';
const [first, second] = [1, 2].map((last) => `5e4c0000-0000-4000-8000-00000000000${last}`);
const organizationPath = `/v1/organizations/${organization}`;
const servicesPath = `${organizationPath}/services`;
const ofService = `organizationId: "${organization}", serviceId: "${first}"`;

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

const backup = { backupStartTime: '02:00' };

const faults: Readonly<Record<UpstreamName, readonly Faulted[]>> = {
  management: [
    {
      field: `service(${ofService}) { id name }`,
      data: { service: null },
      answers: {},
      call: `GET ${servicesPath}/${first}`,
      path: ['service'],
    },
    {
      field: `services: organization(id: "${organization}") { services { name backupConfiguration { backupStartTime } } }`,
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
    {
      field: `updateServiceScaling(input: {${ofService}, idleScaling: true}) { service { name } userErrors { code } }`,
      data: { updateServiceScaling: { service: null, userErrors: [] } },
      answers: {},
      call: `PATCH ${servicesPath}/${first}/scaling`,
      path: ['updateServiceScaling', 'service'],
    },
  ],
  observability: [
    {
      field: 'dashboard(id: "d1") { id name }',
      data: { dashboard: null },
      answers: {},
      call: 'GET /api/v2/dashboards/d1',
      path: ['dashboard'],
    },
    {
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
    {
      field: `updateAlert(input: {alertId: "a1", threshold: 1}) { alert { name } userErrors { code } }`,
      data: { updateAlert: { alert: null, userErrors: [] } },
      answers: { 'GET /api/v2/alerts/a1': success('observability', { id: 'a1' }) },
      // PUT is what retrying clients take for repeatable.
      call: 'PUT /api/v2/alerts/a1',
      path: ['updateAlert', 'alert'],
    },
  ],
};

export const otherThan = (upstream: UpstreamName): UpstreamName =>
  upstream === 'management' ? 'observability' : 'management';

export const places: readonly Place[] = (['management', 'observability'] as const).flatMap(
  (upstream) =>
    faults[upstream].map((faulted, index): Place => {
      const isWrite = index === 2;
      const beside = isWrite ? writes : roots;
      return {
        ...{ upstream, faulted, same: beside[upstream], other: beside[otherThan(upstream)] },
        place:
          (['a root field', 'a link below a list', 'a mutation'] as const)[index] ?? 'a mutation',
        kind: isWrite ? 'mutation' : 'query',
      };
    }),
);

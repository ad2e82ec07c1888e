import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type AnswerError,
  type Answering,
  result,
  type Stack,
  startStack,
  wide,
} from '../support/harness.ts';
import { rowsOf } from '../support/rows.ts';
import { createBackend } from '../support/world/backend.ts';
import { shortCall, withIds } from '../support/world/ids.ts';
import { numbers, worldOf } from '../support/world/worlds.ts';
import { createRounds } from './upstream-calls/rounds.ts';

const sizes = {
  ...{ organizations: 2, services: 10, pipesPerService: 2 },
  ...{ dashboards: 10, tilesPerDashboard: 2, alerts: 100 },
};

/**
 * An operation, and after the arrow how many rounds of calls it takes, every call, and the errors. `service-*` are all
 * ten services. A round is the longest chain of calls of which each waits for the one before.
 */
const cases = rowsOf(`
  a service with its pipes and its backups
    { service(@service-1) { name pipes { name state } backupConfiguration { backupPeriodInHours }
      } }
      -> 1: services/service-1, services/service-1/pipes, services/service-1/backupConfiguration
  a pipe by its identifier, and what it belongs to
    { pipe(@service-1 pipeId: "pipe-1") { name service { name organization { name } } } }
      -> 1: services/service-1/pipes/pipe-1, services/service-1, organizations/organization-1
  the same operation with nothing left out
    query Short($details: Boolean! = true, $short: Boolean! = false) { service(@service-1) { name
      @include(if: $details) pipes { name } backupConfiguration @skip(if: $short) {
      backupPeriodInHours } ... @include(if: $details) { organization { name } } } }
      -> 1: services/service-1, services/service-1/pipes, services/service-1/backupConfiguration,
      organizations/organization-1
  an organization of 10 services with all that it runs
    { organization(id: "organization-1") { name services { name pipes { name } backupConfiguration
      { backupPeriodInHours } } invitations { email } } }
      -> 2: organizations/organization-1, services, invitations, services/service-*/pipes,
      services/service-*/backupConfiguration
  the pipes of all services in one list
    { organization(id: "organization-1") { name pipes { totalCount items { name service { name
      organization { name } } } unreadServices { code } } } }
      -> 2: organizations/organization-1, services, services/service-*/pipes
  the same pipes below their services, filtered and counted
    { organization(id: "organization-1") { serviceCount(filter: { nameContains: "1" })
      services(filter: { nameContains: "1" }) { name } all: services { pipes { name } } pipes {
      totalCount } stopped: pipes(filter: { phaseIn: STOPPED }) { totalCount items { name } } } }
      -> 2: services, services/service-*/pipes
  one service and the invitations
    { organization(id: "organization-1") { service(id: "service-1") { name } invitations { email }
      } }
      -> 1: services/service-1, invitations
  a service, and its neighbours through the organization above it
    { service(@service-1) { name organization { services { name } invitations { email } } } }
      -> 1: services, invitations
  several services of which one does not exist
    { organization(id: "organization-1") { first: service(id: "service-1") { name } gone:
      service(id: "service-99") { name } } }
      -> 2: services, services/service-99; organization.gone NOT_FOUND
  an alert with dashboard and tile
    { alert(id: "alert-1") { name dashboard { name } tile { name } } }
      -> 2: alerts/alert-1, dashboards/dashboard-1
  100 alerts over 10 dashboards
    { alerts { name dashboard { name tiles { name } } } }
      -> 2: alerts, dashboards
  dashboards, their tiles and the alerts of each tile
    { dashboards { name tiles { name alerts { name } } alerts { name } } }
      -> 2: dashboards, alerts
  one dashboard with its alerts
    { dashboard(id: "dashboard-1") { name tiles { name } alerts { name } } }
      -> 1: dashboards/dashboard-1, alerts
  both lists, linked
    { alerts { name dashboard { name } } dashboards { name alerts { name } } }
      -> 1: alerts, dashboards
  a node of each type
    query Nodes { organization: node(nodeId: "Organization:organization-1") { ... on Organization
      { name } } service: node(nodeId: "Service:organization-1:service-1") { ... on Service { name
      pipes { name } } } nodes(nodeIds: [ "Pipe:organization-1:service-2:pipe-3"
      "Dashboard:dashboard-1" "Alert:alert-1" ]) { nodeId ... on Pipe { name } ...Watching } }
      fragment Watching on Node { ... on Dashboard { name } ... on Alert { name } }
      -> 1: organizations/organization-1, services/service-1, services/service-1/pipes,
      services/service-2/pipes/pipe-3, dashboards/dashboard-1, alerts/alert-1
  nodes of which only identifiers are selected
    { nodes(nodeIds: ["Alert:alert-1", "Pipe:organization-1:service-1:pipe-1"]) { __typename
      nodeId ... on Pipe { serviceId } } }
      -> 0:
  a node whose type the fragments do not ask for
    { node(nodeId: "Alert:alert-1") { nodeId ... on Dashboard { name } } }
      -> 0:
  updateServiceScaling, with the relations of the service
    mutation { updateServiceScaling(input: { @service-1, numReplicas: 3 }) { service { numReplicas
      pipes { name } backupConfiguration { backupPeriodInHours } organization { name } } } }
      -> 2: PATCH services/service-1/scaling, services/service-1/pipes,
      services/service-1/backupConfiguration, organizations/organization-1
  createPipe, with its service
    mutation { createPipe(input: { @service-1 name: "New" source: { kinesis: { streamName:
      "readings" } } }) { pipe { name service { name } } } }
      -> 2: POST services/service-1/pipes, services/service-1
  updatePipe with settings and a name, with the profile clickhouse-cloud
    mutation { updatePipe(input: { @service-1, pipeId: "pipe-1", name: "New", settings: {
      engineMaxThreads: 4 } }) { pipe { name settings { engineMaxThreads } } } }
      -> 3: PATCH services/service-1/clickpipes/pipe-1,
      services/service-1/clickpipes/pipe-1/settings, PUT
      services/service-1/clickpipes/pipe-1/settings
  stopPipe, startPipe and resyncPipe in one operation, each with its service
    mutation { stopPipe(input: { @service-1, pipeId: "pipe-1" }) { pipe { state service { name } }
      } startPipe(input: { @service-1, pipeId: "pipe-1" }) { pipe { state service { name } } }
      resyncPipe(input: { @service-1, pipeId: "pipe-1" }) { pipe { state service { name } } } }
      -> 4: PATCH services/service-1/pipes/pipe-1/state, services/service-1, PATCH
      services/service-1/pipes/pipe-1/state, PATCH services/service-1/pipes/pipe-1/state
  createDashboard, with alerts
    mutation { createDashboard(input: { name: "New", tiles: [{ name: "A tile" }] }) { dashboard {
      name tiles { name alerts { name } } alerts { name } } } }
      -> 2: POST dashboards, alerts
  updateAlert with one field, and the dashboard
    mutation { updateAlert(input: { alertId: "alert-1", threshold: 5 }) { alert { threshold
      dashboard { name } } } }
      -> 3: alerts/alert-1, PUT alerts/alert-1, dashboards/dashboard-1
`);

const callsOf = (line: string): readonly string[] =>
  line.includes('*') ? numbers(sizes.services).map((n) => line.replace('*', `${n}`)) : [line];

/** The paths of ClickHouse Cloud in front of the backend of the reference. */
const asCloud =
  (management: Answering): Answering =>
  (call) =>
    call.path.endsWith('/settings')
      ? result({})
      : management({ ...call, path: call.path.replace('/clickpipes', '/pipes') });

describe('an operation makes these upstream calls, in so many rounds:', () => {
  let stack: Stack;
  let cloud: Stack;
  const rounds = createRounds();

  beforeAll(async () => {
    const { management, observability } = createBackend(worldOf(sizes));
    const held = { observability: rounds.hold(observability) };
    stack = await startStack({ ...held, config: wide, management: rounds.hold(management) });
    cloud = await startStack({
      ...{ ...held, config: { ...wide, managementProfile: 'clickhouse-cloud' } },
      management: rounds.hold(asCloud(management)),
    });
  });
  afterAll(async () => {
    await stack.close();
    await cloud.close();
  });

  it.each(cases)('%s', async (title, document, outcome) => {
    const { calls, query } = title.includes('clickhouse-cloud') ? cloud : stack;
    calls.length = 0;
    rounds.restart();
    const { body } = await query(withIds(document));
    const made = rounds.of(calls);
    const [taken, expected = '', errors] = outcome.split(/: ?|; /);
    const lines = expected.split(', ').filter((line) => line !== '');
    expect(made.map(({ call }) => shortCall(call)).sort()).toEqual(lines.flatMap(callsOf).sort());
    expect(Math.max(0, ...made.map(({ round }) => round))).toBe(Number(taken));
    const told = body.errors?.map(({ path, extensions }: AnswerError) => {
      return `${path.join('.')} ${extensions.code}`;
    });
    expect(told?.join(', ')).toBe(errors);
  });
});

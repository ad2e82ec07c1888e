import { encodeNodeId } from '../../../src/schema/node-id.ts';
import { withIds } from '../world/ids.ts';
import { worldOf } from '../world/worlds.ts';

/** Small, and with something of every kind in it. */
export const sampleWorld = worldOf({
  organizations: 2,
  services: 2,
  pipesPerService: 4,
  dashboards: 2,
  tilesPerDashboard: 2,
  alerts: 4,
});

const one = 'organizationId: "organization-1", serviceId: "service-1"';
const pipe = `${one}, pipeId: "pipe-1"`;
const nodeId = encodeNodeId('Alert', 'alert-1');
const updateAlert =
  'mutation ($input: UpdateAlertInput!) { updateAlert(input: $input) { alert { id name threshold channel { type webhookId } } userErrors { code message field } } }';

interface Sample {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>>;
}

/** Valid operations over all of the schema, with identifiers of the world above. */
export const samples: readonly [Sample, ...Sample[]] = (
  [
    {
      query:
        '{ organizations { id name createdAt privateEndpoints { id description } byocConfig { id accountName } invitations { id email expireAt } services { id name organization { name } } } }',
    },
    {
      query: `{ service(${one}) { id name numReplicas idleScaling idleTimeoutMinutes minReplicaMemoryGb endpoints { protocol host port username } ipAccessList { source description } createdAt privateEndpointIds isPrimary backupConfiguration { backupPeriodInHours backupStartTime } pipes { id name state } } }`,
    },
    {
      query: `{ service(${one}) { pipes(filter: {source: KAFKA, nameContains: "p"}) { id source { __typename ... on KafkaSource { brokers topics } ... on ObjectStorageSource { url isContinuous } ... on KinesisSource { streamName region } ... on PostgresSource { host port database } } scaling { replicas replicaMemoryGb } settings { engineMaxThreads objectStorageMaxInsertBytes objectStorageUseClusterFunction } destination { database table columns { name type } tableDefinition { sortingKey engine { columnIds } } } fieldMappings { sourceField destinationField } createdAt } } }`,
    },
    {
      query: `query Pipe($id: ID!) { pipe(organizationId: "organization-1", serviceId: "service-1", pipeId: $id) { nodeId name service { name organization { name } } } }`,
      variables: { id: 'pipe-1' },
    },
    {
      query:
        '{ dashboards { id name tags tiles { id name x y w h asRatio series { type dataSource aggFn where groupBy } alerts { name } dashboard { name } } alerts { id name tile { name } } } }',
    },
    {
      query:
        '{ dashboard(id: "dashboard-1") { ...D } } fragment D on Dashboard { nodeId name tiles { ...T } } fragment T on Tile { id name alerts { id dashboardId tileId } }',
    },
    {
      query:
        'query ($filter: AlertFilter) { alerts(filter: $filter) { id name message threshold interval thresholdType source state channel { type webhookId } teamId groupBy silenced createdAt updatedAt dashboard { name } tile { name } } }',
      variables: { filter: { thresholdType: 'ABOVE', source: 'TILE' } },
    },
    {
      query:
        '{ a: alert(id: "alert-1") { name dashboard { name tiles { name } } } b: alert(id: "alert-2") { name tile { name dashboard { tags } } } c: alert(id: "gone") { name } }',
    },
    {
      query: `query ($all: Boolean!, $ids: [ID!]!) { node(nodeId: "${nodeId}") { nodeId ... on Alert { name threshold } } nodes(nodeIds: $ids) { __typename ... on Dashboard @include(if: $all) { name } ... on Alert { name } } }`,
      variables: { all: true, ids: [nodeId, encodeNodeId('Dashboard', 'dashboard-1')] },
    },
    {
      query:
        'mutation { updateOrganization(input: {organizationId: "organization-1", name: "new", privateEndpoints: {add: [{id: "e", description: "d"}]}}) { organization { id name services { name } } userErrors { code message field } } }',
    },
    {
      query:
        'mutation { createApiKey(input: {organizationId: "organization-1", name: "key", roles: [ADMIN, DEVELOPER], state: ENABLED, expireAt: ""}) { apiKey { id name roles } keyId keySecret userErrors { message } } }',
    },
    {
      query: `mutation { updateServiceScaling(input: {${one}, numReplicas: 3, idleScaling: true}) { service { numReplicas pipes { name } } userErrors { code message } } }`,
    },
    {
      query: updateAlert,
      variables: {
        input: { alertId: 'alert-1', threshold: 2.5, channel: { type: 'webhook', webhookId: 'w' } },
      },
    },
    {
      query: `mutation { stopPipe(input: {${pipe}}) { pipe { state } userErrors { code } } updatePipe(input: {${pipe}, name: "p"}) { pipe { name source { __typename } } userErrors { code } } }`,
    },
    {
      query:
        'mutation { createDashboard(input: {name: "d", tags: ["a"], tiles: [{name: "t", x: 0, y: 0, w: 1, h: 1, series: [{type: "time", groupBy: ["host"]}]}]}) { dashboard { id tiles { id } } userErrors { message } } deleteDashboard(input: {dashboardId: "dashboard-1"}) { deletedDashboardId userErrors { code } } }',
    },
    {
      query:
        '{ __schema { queryType { name fields { name args { name type { name kind ofType { name } } } } } directives { name } } __type(name: "Alert") { name fields(includeDeprecated: true) { name } } }',
    },
  ] satisfies [Sample, ...Sample[]]
).map(({ query, ...rest }: Sample) => ({
  query: withIds(query),
  ...(rest.variables && { variables: JSON.parse(withIds(JSON.stringify(rest.variables))) }),
})) as unknown as [Sample, ...Sample[]];

import { expect } from 'vitest';
import { world } from '../../sandbox/world/ids.ts';

const { main } = world.management;
const { organizationId } = main;

const some = expect.any(String);
const list = expect.any(Array);
const none: readonly unknown[] = [];
const pipeIn = (state: string) => ({ pipe: { nodeId: some, state }, userErrors: none });
const pipeNowIn = (state: string) => ({ pipe: { id: main.pipes.orders, state }, userErrors: none });

/**
 * What the data of each operation of operations/ holds in the demo, by the operation's name. In this order,
 * with a minute between each of them and the next, all of them succeed.
 */
export const holds: Readonly<Record<string, object>> = {
  LookAround: {
    organizations: [{ name: 'Northwind Analytics', services: list }],
    dashboards: [{ name: 'API health' }, { name: 'Ingestion' }, { name: 'Checkout' }],
  },
  ServicesWithPipes: {
    organization: {
      services: expect.arrayContaining([
        expect.objectContaining({ id: main.services.reporting, pipes: none }),
      ]),
    },
  },
  AllPipes: {
    organization: {
      pipes: {
        totalCount: 7,
        items: expect.arrayContaining([
          expect.objectContaining({ name: 'crm', service: expect.objectContaining({ id: some }) }),
        ]),
        unreadServices: none,
      },
    },
  },
  BoardWithAlerts: {
    dashboard: {
      name: 'API health',
      tiles: expect.arrayContaining([
        expect.objectContaining({
          name: 'Error rate',
          alerts: [expect.objectContaining({ name: 'API error rate' })],
        }),
      ]),
    },
  },
  Organizations: {
    organizations: [
      {
        name: 'Northwind Analytics',
        services: expect.arrayContaining([
          expect.objectContaining({ name: 'staging', organizationId }),
        ]),
      },
    ],
  },
  Organization: {
    organization: {
      id: organizationId,
      serviceCount: 4,
      invitations: [{ email: some }, { email: some }],
    },
  },
  Service: {
    service: {
      organization: { name: 'Northwind Analytics' },
      pipes: [{ source: { __typename: 'KafkaSource' } }, { name: 'invoices' }],
      backupConfiguration: { backupPeriodInHours: 24 },
    },
  },
  Pipe: {
    pipe: {
      state: 'Snapshot',
      source: { __typename: 'PostgresSource', tableMappings: list },
      service: { name: 'production' },
    },
  },
  PipeNow: {
    pipe: { state: some, source: { __typename: 'PostgresSource', host: some, database: some } },
  },
  StopPipeNow: { stopPipe: pipeNowIn('Stopping') },
  StartPipeNow: { startPipe: pipeNowIn('Provisioning') },
  Node: {
    node: {
      __typename: 'Pipe',
      id: main.pipes.orders,
      pipeSource: { __typename: 'PostgresSource', host: some },
    },
  },
  Nodes: { nodes: [{ __typename: 'Dashboard' }, { __typename: 'Service', name: 'staging' }] },
  Dashboards: {
    dashboards: [
      { name: 'API health', tiles: list, alerts: list },
      { name: 'Ingestion' },
      { name: 'Checkout' },
    ],
  },
  Dashboard: { dashboard: { tags: ['api', 'on-call'], alerts: list } },
  Alerts: {
    alerts: [
      { name: 'API error rate', state: 'ALERT', dashboard: { name: 'API health' } },
      { name: 'Consumer lag', state: 'ALERT', tile: { name: 'Consumer lag' } },
    ],
  },
  Alert: { alert: { thresholdType: 'ABOVE', tile: { name: 'Error rate' } } },
  LiveOrganization: { organization: { name: 'Northwind Analytics' } },
  LiveService: { service: { name: 'staging', organizationId } },
  LivePipes: { pipes: [{ name: 'clickstream (staging)', phase: 'FAILED' }, { name: 'invoices' }] },
  LivePipe: { pipe: { id: main.pipes.orders, source: { __typename: 'PostgresSource' } } },
  LiveDashboard: { dashboard: { tags: ['api', 'on-call'], tiles: list } },
  LiveAlerts: { alerts: [{ name: 'API error rate', state: 'ALERT' }, { name: 'Consumer lag' }] },
  LiveAlert: { alert: { thresholdType: 'ABOVE', tileId: some } },
  UpdateOrganization: {
    updateOrganization: {
      organization: {
        name: 'Northwind Data',
        privateEndpoints: expect.arrayContaining([
          expect.objectContaining({ description: 'Batch network, Frankfurt' }),
        ]),
      },
      userErrors: none,
    },
  },
  CreateApiKey: {
    createApiKey: {
      apiKey: { name: 'Nightly report', roles: ['QUERY_ENDPOINTS'] },
      keyId: some,
      keySecret: some,
      userErrors: none,
    },
  },
  UpdateServiceScaling: {
    updateServiceScaling: {
      service: { numReplicas: 5, idleScaling: true, idleTimeoutMinutes: 30 },
      userErrors: none,
    },
  },
  UpdateServicePassword: { updateServicePassword: { password: some, userErrors: none } },
  CreatePipe: {
    createPipe: {
      pipe: {
        name: 'signups',
        source: { __typename: 'KafkaSource', topics: 'web.signups,app.signups' },
      },
      userErrors: none,
    },
  },
  UpdatePipe: {
    updatePipe: { pipe: { source: { settings: { syncIntervalSeconds: 900 } } }, userErrors: none },
  },
  StopPipe: { stopPipe: pipeIn('Stopping') },
  StartPipe: { startPipe: pipeIn('Provisioning') },
  ResyncPipe: { resyncPipe: pipeIn('Resync') },
  CreateDashboard: {
    createDashboard: {
      dashboard: { name: 'Signups', tiles: [{ id: some, name: 'Per hour', w: 8 }, { w: 4 }] },
      userErrors: none,
    },
  },
  DeleteDashboard: { deleteDashboard: { deletedDashboardId: some, userErrors: none } },
  UpdateAlert: {
    updateAlert: { alert: { name: 'API error rate', threshold: 0.05 }, userErrors: none },
  },
};

/** The same for the operations that only the live services have, in the demo with `--profile live`. */
export const holdsLive: Readonly<Record<string, object>> = {
  ScalePipe: { scalePipe: { pipe: { scaling: { replicas: 4 } }, userErrors: none } },
  DeletePipe: { deletePipe: { deletedPipeId: main.pipes.clickstream, userErrors: none } },
  StopService: { stopService: { service: { state: 'stopping' }, userErrors: none } },
  StartService: { startService: { service: { state: 'starting' }, userErrors: none } },
  DataSources: {
    dataSources: [{ name: 'Logs', kind: 'log' }, { name: 'Metrics' }, { name: 'Traces' }],
  },
  Webhooks: { webhooks: [{ name: 'On call' }, { service: 'slack' }] },
  SavedSearches: { savedSearches: [{ name: 'Killed for its memory', whereLanguage: 'lucene' }] },
  UpdateDashboard: {
    updateDashboard: {
      dashboard: { name: 'API health, Europe', tags: ['api', 'europe'] },
      userErrors: none,
    },
  },
  CreateAlert: {
    createAlert: {
      alert: { name: 'Failed payments', phase: 'OK', threshold: 5 },
      userErrors: none,
    },
  },
  DeleteAlert: {
    deleteAlert: { deletedAlertId: world.observability.main.alerts.errorRate, userErrors: none },
  },
  WakeService: { wakeService: { service: { state: 'running' }, userErrors: none } },
};

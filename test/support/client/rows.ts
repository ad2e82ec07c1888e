import { expect } from 'vitest';
import type { Client } from '../../../client/src/index.ts';
import * as operations from '../../../client/src/operations.ts';
import { world } from '../../../sandbox/world/ids.ts';

const { main } = world.management;
const observability = world.observability.main;
const { organizationId } = main;
const production = { organizationId, serviceId: main.services.production };
const staging = { organizationId, serviceId: main.services.staging };

/** What operations find out for those after them. */
export interface Found {
  nodeId?: string;
  pipeId?: string;
  dashboardId?: string;
}

/** How an operation is sent, and what its data has to hold. */
export interface Row {
  readonly send: (client: Client, found: Found) => Promise<unknown>;
  readonly holds: unknown;
}

const some = expect.any(String);
const none: readonly unknown[] = [];
const pipeIn = (state: string) => ({ pipe: { nodeId: some, state }, userErrors: none });

/** A row for each operation, by the name of its root field, in an order in which all of them work. */
export const rows: Readonly<Record<string, Row>> = {
  organizations: {
    send: (client) => client.request(operations.OrganizationsDocument),
    holds: {
      organizations: [
        {
          name: 'Northwind Analytics',
          services: expect.arrayContaining([
            expect.objectContaining({ name: 'staging', organizationId }),
          ]),
        },
      ],
    },
  },
  organization: {
    send: (client) => client.request(operations.OrganizationDocument, { id: organizationId }),
    holds: {
      organization: { id: organizationId, invitations: [{ email: some }, { email: some }] },
    },
  },
  service: {
    send: (client) => client.request(operations.ServiceDocument, staging),
    holds: {
      service: {
        organization: { name: 'Northwind Analytics' },
        pipes: [{ source: { __typename: 'KafkaSource' } }, { name: 'invoices' }],
        backupConfiguration: { backupPeriodInHours: 24 },
      },
    },
  },
  pipe: {
    send: async (client, found) => {
      const pipeId = main.pipes.orders;
      const data = await client.request(operations.PipeDocument, { ...production, pipeId });
      const { nodeId } = data.pipe ?? {};
      if (nodeId !== undefined) found.nodeId = nodeId;
      return data;
    },
    holds: {
      pipe: {
        state: 'Snapshot',
        source: { __typename: 'PostgresSource', tableMappings: expect.any(Array) },
        service: { name: 'production' },
      },
    },
  },
  node: {
    send: (client, { nodeId = '' }) => client.request(operations.NodeDocument, { nodeId }),
    holds: {
      node: {
        __typename: 'Pipe',
        id: main.pipes.orders,
        pipeSource: { __typename: 'PostgresSource', host: some },
      },
    },
  },
  nodes: {
    send: (client, { nodeId = '' }) =>
      client.request(operations.NodesDocument, { nodeIds: [nodeId] }),
    holds: { nodes: [{ __typename: 'Pipe', name: 'orders (change data capture)' }] },
  },
  dashboards: {
    send: (client) => client.request(operations.DashboardsDocument),
    holds: {
      dashboards: [
        { name: 'API health', tiles: expect.any(Array), alerts: expect.any(Array) },
        { name: 'Ingestion' },
        { name: 'Checkout' },
      ],
    },
  },
  dashboard: {
    send: (client) =>
      client.request(operations.DashboardDocument, { id: observability.dashboards.api }),
    holds: { dashboard: { tags: ['api', 'on-call'], alerts: expect.any(Array) } },
  },
  alerts: {
    send: (client) =>
      client.request(operations.AlertsDocument, { filter: { nameContains: 'latency' } }),
    holds: { alerts: [{ name: 'API latency', dashboard: { name: 'API health' } }] },
  },
  alert: {
    send: (client) =>
      client.request(operations.AlertDocument, { id: observability.alerts.errorRate }),
    holds: { alert: { thresholdType: 'ABOVE', tile: { name: 'Error rate' } } },
  },
  updateOrganization: {
    send: (client) =>
      client.request(operations.UpdateOrganizationDocument, {
        input: { organizationId, name: 'Northwind' },
      }),
    holds: { updateOrganization: { organization: { name: 'Northwind' }, userErrors: none } },
  },
  createApiKey: {
    send: (client) =>
      client.request(operations.CreateApiKeyDocument, {
        input: { organizationId, name: 'reports', roles: ['QUERY_ENDPOINTS'] },
      }),
    holds: {
      createApiKey: {
        apiKey: { name: 'reports', roles: ['QUERY_ENDPOINTS'] },
        keyId: some,
        keySecret: some,
        userErrors: none,
      },
    },
  },
  updateServiceScaling: {
    send: (client) =>
      client.request(operations.UpdateServiceScalingDocument, {
        input: { ...production, idleScaling: true, idleTimeoutMinutes: 30 },
      }),
    holds: {
      updateServiceScaling: {
        service: { idleScaling: true, idleTimeoutMinutes: 30 },
        userErrors: none,
      },
    },
  },
  updateServicePassword: {
    send: (client) =>
      client.request(operations.UpdateServicePasswordDocument, { input: production }),
    holds: { updateServicePassword: { password: some, userErrors: none } },
  },
  createPipe: {
    send: async (client, found) => {
      const input = {
        ...staging,
        name: 'signups',
        source: { kafka: { brokers: 'broker.example:9092', topics: 'signups' } },
        destination: { database: 'web', table: 'signups', columns: [{ name: 'id', type: 'UUID' }] },
        fieldMappings: [{ sourceField: 'id', destinationField: 'id' }],
      };
      const data = await client.request(operations.CreatePipeDocument, { input });
      const { id } = data.createPipe.pipe ?? {};
      if (id !== undefined) found.pipeId = id;
      return data;
    },
    holds: {
      createPipe: {
        pipe: { name: 'signups', source: { __typename: 'KafkaSource', topics: 'signups' } },
        userErrors: none,
      },
    },
  },
  updatePipe: {
    send: (client, { pipeId = '' }) =>
      client.request(operations.UpdatePipeDocument, {
        input: { ...staging, pipeId, settings: { streamingMaxInsertWaitMs: 1000 } },
      }),
    holds: {
      updatePipe: {
        pipe: { settings: { streamingMaxInsertWaitMs: 1000 } },
        userErrors: none,
      },
    },
  },
  stopPipe: {
    send: (client, { pipeId = '' }) =>
      client.request(operations.StopPipeDocument, { input: { ...staging, pipeId } }),
    holds: { stopPipe: pipeIn('Stopping') },
  },
  startPipe: {
    send: (client, { pipeId = '' }) =>
      client.request(operations.StartPipeDocument, { input: { ...staging, pipeId } }),
    holds: { startPipe: pipeIn('Provisioning') },
  },
  resyncPipe: {
    send: (client) =>
      client.request(operations.ResyncPipeDocument, {
        input: { ...production, pipeId: main.pipes.orders },
      }),
    holds: { resyncPipe: pipeIn('Resync') },
  },
  createDashboard: {
    send: async (client, found) => {
      const tiles = [{ name: 'Per hour', x: 0, y: 0, w: 6, h: 3, series: [{ type: 'time' }] }];
      const data = await client.request(operations.CreateDashboardDocument, {
        input: { name: 'Signups', tags: ['growth'], tiles },
      });
      const { id } = data.createDashboard.dashboard ?? {};
      if (id !== undefined) found.dashboardId = id;
      return data;
    },
    holds: {
      createDashboard: {
        dashboard: { name: 'Signups', tiles: [{ id: some, name: 'Per hour', w: 6 }] },
        userErrors: none,
      },
    },
  },
  deleteDashboard: {
    send: (client, { dashboardId = '' }) =>
      client.request(operations.DeleteDashboardDocument, { input: { dashboardId } }),
    holds: { deleteDashboard: { deletedDashboardId: some, userErrors: none } },
  },
  updateAlert: {
    send: (client) =>
      client.request(operations.UpdateAlertDocument, {
        input: { alertId: observability.alerts.errorRate, threshold: 0.05 },
      }),
    holds: {
      updateAlert: { alert: { name: 'API error rate', threshold: 0.05 }, userErrors: none },
    },
  },
};

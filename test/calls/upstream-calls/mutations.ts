import { type OperationGroup, organization, service } from './case.ts';

const ofService = 'organizationId: "organization-1", serviceId: "service-1"';
const ofPipe = `${ofService}, pipeId: "pipe-1"`;
const pipe = `${service(1)}/pipes/pipe-1`;

const cloudPipe = (method: string, below = ''): string =>
  `${method} ${pipe.replace('/pipes/', '/clickpipes/')}${below}`;

const command = (field: string): string => `  ${field}(
    input: { ${ofPipe} }
  ) {
    pipe { state service { name } }
  }`;

export const mutations: OperationGroup = {
  title: 'Mutations',
  cases: [
    {
      title: 'updateOrganization, with the relations of the organization',
      operation: `mutation {
  updateOrganization(
    input: { organizationId: "organization-1", name: "New" }
  ) {
    organization {
      name
      services { name }
      invitations { email }
    }
  }
}`,
      calls: [
        `PATCH ${organization}`,
        `GET ${organization}/services`,
        `GET ${organization}/invitations`,
      ],
      rounds: 2,
      bound:
        'The write answers with the organization only. What is selected below a write must be read after it.',
    },
    {
      title: 'createApiKey',
      operation: `mutation {
  createApiKey(
    input: { organizationId: "organization-1", name: "A key", roles: [ADMIN] }
  ) {
    apiKey { name }
    keySecret
  }
}`,
      calls: [`POST ${organization}/keys`],
      rounds: 1,
      bound: 'The write is the one call, and its answer holds all that is selected.',
    },
    {
      title: 'updateServiceScaling, with the relations of the service',
      operation: `mutation {
  updateServiceScaling(input: { ${ofService}, numReplicas: 3 }) {
    service {
      numReplicas
      pipes { name }
      backupConfiguration { backupPeriodInHours }
      organization { name }
    }
  }
}`,
      calls: [
        `PATCH ${service(1)}/scaling`,
        `GET ${service(1)}/pipes`,
        `GET ${service(1)}/backupConfiguration`,
        `GET ${organization}`,
      ],
      rounds: 2,
      bound:
        'The write answers with the service only. The three reads below it come after it, and do not wait for each other.',
    },
    {
      title: 'updateServicePassword',
      operation: `mutation {
  updateServicePassword(input: { ${ofService} }) {
    password
  }
}`,
      calls: [`PATCH ${service(1)}/password`],
      rounds: 1,
      bound: 'The write is the one call, and its answer holds the password.',
    },
    {
      title: 'createPipe, with its service',
      operation: `mutation {
  createPipe(
    input: {
      ${ofService}
      name: "New"
      source: { kinesis: { streamName: "readings" } }
    }
  ) {
    pipe { name service { name } }
  }
}`,
      calls: [`POST ${service(1)}/pipes`, `GET ${service(1)}`],
      rounds: 2,
      bound: 'The write answers with the pipe only, and its service must be read after it.',
    },
    {
      title: 'updatePipe, with its service',
      operation: `mutation {
  updatePipe(input: { ${ofPipe}, name: "New" }) {
    pipe { name service { name } }
  }
}`,
      calls: [`PATCH ${pipe}`, `GET ${service(1)}`],
      rounds: 2,
      bound: 'The write answers with the pipe only, and its service must be read after it.',
    },
    {
      title: 'updatePipe with settings and a name, with the profile clickhouse-cloud',
      profile: 'clickhouse-cloud',
      operation: `mutation {
  updatePipe(input: { ${ofPipe}, name: "New", settings: { engineMaxThreads: 4 } }) {
    pipe { name settings { engineMaxThreads } }
  }
}`,
      calls: [cloudPipe('PATCH'), cloudPipe('GET', '/settings'), cloudPipe('PUT', '/settings')],
      rounds: 3,
      bound:
        'Settings have a path of their own there, which may replace all of them: they are read, changed and sent back after the rest. Settings alone take the last two calls, and a third where more of the pipe is selected than its settings.',
    },
    {
      title: 'stopPipe, and only identifiers of its service',
      operation: `mutation {
  stopPipe(input: { ${ofPipe} }) {
    pipe { state service { id organizationId } }
  }
}`,
      calls: [`PATCH ${pipe}/state`],
      rounds: 1,
      bound: 'The write is the one call, and the arguments hold the identifiers.',
    },
    {
      title: 'stopPipe, startPipe and resyncPipe in one operation, each with its service',
      operation: `mutation {
${command('stopPipe')}
${command('startPipe')}
${command('resyncPipe')}
}`,
      calls: [
        `PATCH ${pipe}/state`,
        `GET ${service(1)}`,
        `PATCH ${pipe}/state`,
        `PATCH ${pipe}/state`,
      ],
      rounds: 4,
      bound:
        'GraphQL runs the fields of a mutation one after the other. A command changes the pipe and the list of pipes, but not the service, so the service is read once.',
    },
    {
      title: 'createDashboard, with alerts',
      operation: `mutation {
  createDashboard(input: { name: "New", tiles: [{ name: "A tile" }] }) {
    dashboard {
      name
      tiles { name alerts { name } }
      alerts { name }
    }
  }
}`,
      calls: ['POST /api/v2/dashboards', 'GET /api/v2/alerts'],
      rounds: 2,
      bound:
        'The write answers with the dashboard and its tiles. The one list of alerts, for all of them, comes after it.',
    },
    {
      title: 'deleteDashboard',
      operation: `mutation {
  deleteDashboard(input: { dashboardId: "dashboard-1" }) {
    deletedDashboardId
  }
}`,
      calls: ['DELETE /api/v2/dashboards/dashboard-1'],
      rounds: 1,
      bound: 'The write is the one call, and the arguments hold the identifier.',
    },
    {
      title: 'updateAlert with one field, and the dashboard',
      operation: `mutation {
  updateAlert(input: { alertId: "alert-1", threshold: 5 }) {
    alert { threshold dashboard { name } }
  }
}`,
      calls: [
        'GET /api/v2/alerts/alert-1',
        'PUT /api/v2/alerts/alert-1',
        'GET /api/v2/dashboards/dashboard-1',
      ],
      rounds: 3,
      bound:
        'The write replaces the whole alert, so its other fields have to be read before. The dashboard below a write is read after it.',
    },
    {
      title: 'updateAlert with every field, and the dashboard',
      operation: `mutation {
  updateAlert(
    input: {
      alertId: "alert-1"
      threshold: 5
      interval: "5m"
      thresholdType: ABOVE
      source: TILE
      dashboardId: "dashboard-1"
      tileId: "tile-1"
      channel: { type: "webhook", webhookId: "webhook-1" }
      name: "New"
      message: null
    }
  ) {
    alert { threshold dashboard { name } }
  }
}`,
      calls: [
        'GET /api/v2/alerts/alert-1',
        'PUT /api/v2/alerts/alert-1',
        'GET /api/v2/dashboards/dashboard-1',
      ],
      rounds: 3,
      bound:
        'An alert can have fields that an update cannot give, and the write would delete them. So the alert is read before the write. The dashboard below a write is read after it.',
    },
  ],
};

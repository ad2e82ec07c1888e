import { readFileSync } from 'node:fs';
import { numbers } from '../../support/world/worlds.ts';
import { type OperationGroup, organization, service, sizes } from './case.ts';

const lookAround = readFileSync(
  new URL('../../../operations/screens/look-around.graphql', import.meta.url),
  'utf8',
).trim();

export const nodes: OperationGroup = {
  title: 'Nodes, and both trees at once',
  cases: [
    {
      title: 'A node of each type',
      operation: `query Nodes {
  organization: node(nodeId: "Organization:organization-1") {
    ... on Organization { name }
  }
  service: node(nodeId: "Service:organization-1:service-1") {
    ... on Service { name pipes { name } }
  }
  nodes(
    nodeIds: [
      "Pipe:organization-1:service-2:pipe-3"
      "Dashboard:dashboard-1"
      "Alert:alert-1"
    ]
  ) {
    nodeId
    ... on Pipe { name }
    ...Watching
  }
}

fragment Watching on Node {
  ... on Dashboard { name }
  ... on Alert { name }
}`,
      calls: [
        `GET ${organization}`,
        `GET ${service(1)}`,
        `GET ${service(1)}/pipes`,
        `GET ${service(2)}/pipes/pipe-3`,
        'GET /api/v2/dashboards/dashboard-1',
        'GET /api/v2/alerts/alert-1',
      ],
      rounds: 1,
      bound:
        'No operation answers two of the six resources. Each nodeId holds the whole path of its own.',
    },
    {
      title: 'Several nodes of one type',
      operation: `{
  nodes(
    nodeIds: [
      "Alert:alert-1"
      "Alert:alert-2"
      "Service:organization-1:service-1"
      "Service:organization-1:service-2"
    ]
  ) {
    ... on Alert { name }
    ... on Service { name }
  }
}`,
      calls: ['GET /api/v2/alerts', `GET ${organization}/services`],
      rounds: 1,
      bound: 'No operation answers two collections together, so there is one list of each.',
    },
    {
      title: 'Nodes of which only identifiers are selected',
      operation: `{
  nodes(nodeIds: ["Alert:alert-1", "Pipe:organization-1:service-1:pipe-1"]) {
    __typename
    nodeId
    ... on Pipe { serviceId }
  }
}`,
      calls: [],
      rounds: 0,
      bound: 'No call is needed: a nodeId holds all that is selected.',
    },
    {
      title: 'A node and the same thing by its own field',
      operation: `{
  node(nodeId: "Alert:alert-1") {
    ... on Alert { name }
  }
  alert(id: "alert-1") { threshold }
}`,
      calls: ['GET /api/v2/alerts/alert-1'],
      rounds: 1,
      bound: 'One read answers both fields, and only the upstream knows what they say.',
    },
    {
      title: 'A node whose type the fragments do not ask for',
      operation: `{
  node(nodeId: "Alert:alert-1") {
    nodeId
    ... on Dashboard { name }
  }
}`,
      calls: [],
      rounds: 0,
      bound:
        'No call is needed: of all that is selected, an alert has only its nodeId, which is given.',
    },
    {
      title: 'Both trees at once',
      operation: `{
  organization(id: "organization-1") { name }
  dashboards { name }
  alerts { name }
}`,
      calls: [`GET ${organization}`, 'GET /api/v2/dashboards', 'GET /api/v2/alerts'],
      rounds: 1,
      bound:
        'No operation answers two of the three resources. None of the calls waits for another.',
    },
    {
      title: 'All that an organization runs, and all that watches it',
      operation: `{
  organization(id: "organization-1") {
    name
    services {
      name
      pipes { name state }
      backupConfiguration {
        backupPeriodInHours
        backupRetentionPeriodInHours
      }
    }
  }
  dashboards {
    name
    tiles {
      name
      alerts { name state threshold thresholdType }
    }
  }
}`,
      calls: [
        `GET ${organization}`,
        `GET ${organization}/services`,
        ...numbers(sizes.services).flatMap((number) => [
          `GET ${service(number)}/pipes`,
          `GET ${service(number)}/backupConfiguration`,
        ]),
        'GET /api/v2/dashboards',
        'GET /api/v2/alerts',
      ],
      rounds: 2,
      bound:
        'Pipes and backups can be read only for one service at a time, and only after the list that names the services. The dashboards and their alerts take one list each meanwhile.',
    },
    {
      title: "GraphiQL's first tab",
      operation: lookAround,
      calls: [
        'GET /v1/organizations',
        ...numbers(sizes.organizations).map(
          (number) => `GET /v1/organizations/organization-${number}/services`,
        ),
        'GET /api/v2/dashboards',
        'GET /api/v2/alerts',
      ],
      rounds: 2,
      bound:
        'Services can be read only for one organization at a time, after the list that names the organizations. The dashboards and their alerts take one list each meanwhile.',
    },
  ],
};

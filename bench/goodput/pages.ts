import type { Stamp } from './names.ts';
import {
  alerts,
  dashboards,
  indexes,
  organizationId,
  pipeId,
  pipesOfService,
  serviceId,
  servicesOf,
} from './world.ts';

/** A page that people look at: one query, and everything that it has to show, in its order. */
export interface Page {
  readonly body: string;
  readonly things: readonly Stamp['thing'][];
}

const body = (query: string, variables: object): string => JSON.stringify({ query, variables });

const serviceThings = (organization: number, service: number): readonly string[] => [
  `service ${organization}.${service}`,
  ...indexes(pipesOfService).map((pipe) => `pipe ${organization}.${service}.${pipe}`),
];

/** Ten reads: the organization, its services, and the pipes of each of the eight. */
export const organizationPage: Page = {
  body: body(
    /* GraphQL */ `query OrganizationPage($organizationId: ID!) {
      organization(id: $organizationId) {
        name
        services { name id engineVersion numReplicas pipes { name id state } }
      }
    }`,
    { organizationId: organizationId(0) },
  ),
  things: [
    'organization 0',
    ...indexes(servicesOf[0]).flatMap((service) => serviceThings(0, service)),
  ],
};

/** Two reads: a service of the organization, and its pipes. */
export const servicePage: Page = {
  body: body(
    /* GraphQL */ `query ServicePage($organizationId: ID!, $serviceId: ID!) {
      service(organizationId: $organizationId, serviceId: $serviceId) {
        name
        id
        engineVersion
        pipes { name id state }
      }
    }`,
    { organizationId: organizationId(0), serviceId: serviceId(0, 0) },
  ),
  things: serviceThings(0, 0),
};

/** One of thirty pages of two reads, each with a service of its own. */
export const smallPage = (service: number): Page => ({
  body: body(
    /* GraphQL */ `query SmallPage($organizationId: ID!, $serviceId: ID!) {
      service(organizationId: $organizationId, serviceId: $serviceId) { name pipes { name } }
    }`,
    { organizationId: organizationId(1), serviceId: serviceId(1, service) },
  ),
  things: serviceThings(1, service),
});

/** Two reads: the dashboards with their tiles, and the alerts. */
export const dashboardsPage: Page = {
  body: body(
    /* GraphQL */ `query DashboardsPage {
      dashboards { name id tiles { name id } alerts { name id state threshold } }
    }`,
    {},
  ),
  things: dashboards.flatMap((dashboard, index) => [
    `dashboard ${index}`,
    ...(dashboard.tiles ?? []).map((_, tile) => `tile ${index}.${tile}`),
    ...alerts.flatMap((alert, at) => (alert.dashboard === dashboard.id ? [`alert ${at}`] : [])),
  ]),
};

/** The pipe that is stopped and started; the organization's page and the service's page show it. */
export const commandedPipe = 'pipe 0.0.0';

const commandQuery = (field: string, input: string): string =>
  `mutation Command($input: ${input}!) {
    ${field}(input: $input) { pipe { name state } userErrors { message } }
  }`;

export const commandBody = (command: 'stop' | 'start'): string =>
  body(
    command === 'stop'
      ? commandQuery('stopPipe', 'StopPipeInput')
      : commandQuery('startPipe', 'StartPipeInput'),
    {
      input: {
        organizationId: organizationId(0),
        serviceId: serviceId(0, 0),
        pipeId: pipeId(0, 0, 0),
      },
    },
  );

import {
  alertCount,
  count,
  dashboardCount,
  organizationId,
  pipeId,
  serviceId,
  sizes,
  tileCount,
} from './world.ts';

/** A page that people look at: one query, and everything that it has to show, in its order. */
export interface Page {
  readonly body: string;
  /** As in `Stamp`. */
  readonly things: readonly string[];
  /** Services on it that sleep, none by default. */
  readonly asleep?: number;
}

export const bodyOf = (query: string, variables: object = {}): string =>
  JSON.stringify({ query, variables });

export const serviceThings = (organization: 0 | 1 | 3, service: number): readonly string[] => [
  `service ${organization}.${service}`,
  ...count(sizes[organization].pipes, (pipe) => `pipe ${organization}.${service}.${pipe}`),
];

/** Ten reads: the organization, its services, and the pipes of each of the eight. */
const organizationPage: Page = {
  body: bodyOf(
    `query ($id: ID!) { organization(id: $id) {
      name services { name id engineVersion numReplicas pipes { name id state } }
    } }`,
    { id: organizationId(0) },
  ),
  things: ['organization 0', ...count(8, (service) => serviceThings(0, service)).flat()],
};

/** Two reads: a service, and its pipes. */
export const servicePage = (organization: 0 | 1 | 3, service: number): Page => ({
  body: bodyOf(
    `query ($organization: ID!, $service: ID!) {
      service(organizationId: $organization, serviceId: $service) { name pipes { name state } }
    }`,
    { organization: organizationId(organization), service: serviceId(organization, service) },
  ),
  things: serviceThings(organization, service),
});

/** Two reads: the dashboards with their tiles, and the alerts. */
const dashboardsPage: Page = {
  body: bodyOf('{ dashboards { name id tiles { name id } alerts { name id state threshold } } }'),
  things: count(dashboardCount, (index) => [
    `dashboard ${index}`,
    ...count(tileCount, (tile) => `tile ${index}.${tile}`),
    ...count(alertCount / dashboardCount, (at) => `alert ${at * dashboardCount + index}`),
  ]).flat(),
};

/** An organization, a service and a pipe of it, by their numbers. */
export type PipeNumbers = readonly [organization: number, service: number, pipe: number];

export const writeBody = (command: 'stop' | 'start', numbers: PipeNumbers): string => {
  const type = command === 'stop' ? 'StopPipeInput' : 'StartPipeInput';
  const selection = '{ pipe { name state } userErrors { message } }';
  const [organization, service] = numbers;
  const ids = {
    organizationId: organizationId(organization),
    serviceId: serviceId(organization, service),
  };
  return bodyOf(`mutation ($input: ${type}!) { ${command}Pipe(input: $input) ${selection} }`, {
    input: { ...ids, pipeId: pipeId(...numbers) },
  });
};

/** What is done again and again, in milliseconds from the scenario's beginning. */
export interface Rhythm {
  readonly offset: number;
  readonly every: number;
  readonly times: number;
  /** Nothing begins later than this, in milliseconds from the scenario's beginning. */
  readonly ends?: number;
}

/** Somebody who looks at a page, and refreshes it. */
export interface Viewer extends Rhythm {
  /** Number of the credentials. */
  readonly caller: number;
  /** Looked at in turn. */
  readonly pages: readonly Page[];
}

/** Pipes that are stopped in turn, or started where they do not run. */
export interface Writer extends Rhythm {
  readonly pipes: readonly PipeNumbers[];
}

/**
 * What Sluice is to reach: percent of the views, and seconds that the oldest part of 95 % of the whole views may have. In
 * all scenarios no call is answered with 429, no view shows an earlier state, and every write is carried out.
 */
export interface Bounds {
  readonly whole: number;
  /** Whole within one second. */
  readonly prompt: number;
  readonly oldest: number;
}

export interface Scenario {
  readonly name: string;
  readonly viewers: readonly Viewer[];
  /** One of the viewers stops and starts pipes. */
  readonly writes?: Writer;
  /** A view that takes longer, in milliseconds, is not answered. */
  readonly within: number;
  readonly bounds: Bounds;
}

/**
 * All scenarios, in the order in which they run; docs/performance.md tells what they are. A page is
 * refreshed so many times every 5 s, where 12 make a minute; `fleet` is the number of credentials of s3.
 */
export const createScenarios = (refreshes: number, fleet: number): readonly Scenario[] => {
  const half = Math.ceil(refreshes / 2);
  /** Viewers of one page, who begin one after the other within the first interval. */
  const audience = (page: Page, size: number): readonly Viewer[] =>
    count(size, (index) => {
      return {
        caller: 0,
        pages: [page],
        offset: (index * 5000) / size,
        every: 5000,
        times: refreshes,
      };
    });
  const fleetOf = (page: Page): readonly Viewer[] =>
    audience(page, 3 * fleet).map((viewer, index) => {
      const { pages, offset } = viewer;
      return { caller: index % fleet, pages, offset: 2 * offset, every: 10_000, times: half };
    });
  const atOnce = count(sizes[1].services, (service) => {
    return { caller: 0, pages: [servicePage(1, service)], offset: 0, every: 1, times: 1 };
  });
  /** In between the refreshes. The organization's page and its first service's page show the pipe. */
  const writes = { offset: 2500, every: 10_000, times: half, pipes: [[0, 0, 0]] } as const;
  const usual = { within: 10_000, bounds: { whole: 99, prompt: 95, oldest: 25 } };
  // Thirty pages of two reads are six windows' worth of calls.
  const late = { within: 30_000, bounds: { whole: 90, prompt: 0, oldest: Infinity } };
  // More reads than the limit gives beside the writes.
  const crowded = { within: 10_000, bounds: { whole: 95, prompt: 70, oldest: 25 } };
  return [
    { name: 's1', viewers: audience(organizationPage, 5), ...usual },
    { name: 's2', viewers: audience(dashboardsPage, 20), ...usual },
    { name: 's3', viewers: [organizationPage, dashboardsPage].flatMap(fleetOf), ...usual },
    { name: 's4', viewers: atOnce, ...late },
    { name: 's5', viewers: audience(organizationPage, 5), writes, ...crowded },
    { name: 's6', viewers: audience(servicePage(0, 0), 5), writes, ...usual },
  ];
};

/** What runs where nothing else is asked for. */
export const usualScenarios: readonly string[] = ['s1', 's4', 's5'];

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

/** A page that people view: one query, and all things that it has to show, in its order. */
export interface Page {
  readonly body: string;
  /** As in `Stamp`. */
  readonly things: readonly string[];
  /** Sleeping services on the page; none by default. */
  readonly asleep?: number;
}

export const bodyOf = (query: string, variables: object = {}): string =>
  JSON.stringify({ query, variables });

export const serviceThings = (organization: 0 | 1 | 3, service: number): readonly string[] => [
  `service ${organization}.${service}`,
  ...count(sizes[organization].pipes, (pipe) => `pipe ${organization}.${service}.${pipe}`),
];

/** Ten reads: the organization, its services, and the pipes of each of the eight. */
export const organizationPage: Page = {
  body: bodyOf(
    `query ($id: ID!) { organization(organizationId: $id) {
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

/** Four reads with one key: a service, its pipes, and the dashboards and alerts of its ClickStack. */
const treePage: Page = {
  body: bodyOf(
    `query ($organization: ID!, $service: ID!) {
      service(organizationId: $organization, serviceId: $service) { name pipes { name state }
        dashboards { name id tiles { name id } alerts { name id state threshold } } }
    }`,
    { organization: organizationId(0), service: serviceId(0, 0) },
  ),
  things: [...serviceThings(0, 0), ...dashboardsPage.things],
};

/** The numbers of an organization, a service and a pipe. */
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

/** A repeated action; times in milliseconds from the scenario's beginning. */
export interface Rhythm {
  readonly offset: number;
  readonly every: number;
  readonly times: number;
  /** Nothing begins later than this, in milliseconds from the scenario's beginning. */
  readonly ends?: number;
}

/** A person who views a page and refreshes it. */
export interface Viewer extends Rhythm {
  /** Number of the credentials. */
  readonly caller: number;
  /** Pages, viewed in turn. */
  readonly pages: readonly Page[];
}

/** Pipes that are stopped or started in turn. */
export interface Writer extends Rhythm {
  readonly pipes: readonly PipeNumbers[];
}

/**
 * Bounds for Sluice: percent of the views, and the age in seconds of the oldest part of 95 % of the whole views. In all
 * scenarios no call is answered with 429, no view shows an earlier state, and every write is carried out.
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
  /** Whether observability is below the services of management, with one key. Sluice alone can read that. */
  readonly isOneTree?: true;
  /** A view that takes longer than this, in milliseconds, counts as unanswered. */
  readonly within: number;
  readonly bounds: Bounds;
}

/**
 * All scenarios, in the order in which they run; docs/performance.md describes them. A page is refreshed `refreshes` times,
 * every 5 s, so 12 times are a minute. `fleet` is the number of credentials of s3.
 */
export const createScenarios = (refreshes: number, fleet: number): readonly Scenario[] => {
  const half = Math.ceil(refreshes / 2);
  /** Viewers of one page, who begin one after another within the first interval. */
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
  /** Between the refreshes. The organization's page and the page of its first service show the pipe. */
  const writes = { offset: 2500, every: 10_000, times: half, pipes: [[0, 0, 0]] } as const;
  const usual = { within: 10_000, bounds: { whole: 99, prompt: 95, oldest: 25 } };
  // Thirty pages of two reads need the calls of six windows.
  const late = { within: 30_000, bounds: { whole: 90, prompt: 0, oldest: Infinity } };
  // More reads than the limit allows in addition to the writes.
  const crowded = { within: 10_000, bounds: { whole: 95, prompt: 70, oldest: 25 } };
  return [
    { name: 's1', viewers: audience(organizationPage, 5), ...usual },
    { name: 's2', viewers: audience(dashboardsPage, 20), ...usual },
    { name: 's3', viewers: [organizationPage, dashboardsPage].flatMap(fleetOf), ...usual },
    { name: 's4', viewers: atOnce, ...late },
    { name: 's5', viewers: audience(organizationPage, 5), writes, ...crowded },
    { name: 's6', viewers: audience(servicePage(0, 0), 5), writes, ...usual },
    { name: 'one-tree', viewers: audience(treePage, 5), writes, isOneTree: true, ...crowded },
  ];
};

/** The scenarios that run by default. */
export const usualScenarios: readonly string[] = ['s1', 's4', 's5'];

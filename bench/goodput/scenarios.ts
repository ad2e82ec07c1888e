import { dashboardsPage, organizationPage, type Page, servicePage, smallPage } from './pages.ts';
import { indexes, servicesOf } from './world.ts';

/** Somebody who looks at a page, and refreshes it. Times in milliseconds from the scenario's beginning. */
export interface Viewer {
  /** Number of the credentials. */
  readonly caller: number;
  readonly page: Page;
  readonly offset: number;
  readonly every: number;
  readonly times: number;
}

/** What one scenario has to show, of the gateway alone; shares in percent. */
export interface Bounds {
  readonly whole?: number;
  readonly prompt?: number;
  /** Seconds; of 95 % of the views. */
  readonly oldest?: number;
  readonly refused: 0;
  /** So many calls at least are made, and never more in a window than the limit. */
  readonly calls?: number;
}

export interface Scenario {
  readonly name: string;
  readonly about: string;
  readonly viewers: readonly Viewer[];
  /** One of the viewers stops and starts a pipe. */
  readonly commands?: { readonly offset: number; readonly every: number; readonly times: number };
  /** A view that takes longer, in milliseconds, is not answered. */
  readonly within: number;
  readonly bounds: Bounds;
  /** What all requests carry besides. */
  readonly headers?: readonly string[];
  /** The most milliseconds that a call, and its answer, are under way. */
  readonly jitter?: number;
  /** Only the gateway is asked. */
  readonly alone?: true;
}

/** How large the scenarios are. */
export interface Size {
  /** How often a viewer looks who refreshes the page every 5 s: 12 make a minute. */
  readonly refreshes: number;
  /** Credentials of the scenario with many. */
  readonly fleet: number;
}

/** Viewers of one page, who begin one after the other within the first interval. */
const audience = (
  page: Page,
  size: number,
  every: number,
  times: number,
  callerOf: (index: number) => number = () => 0,
): readonly Viewer[] =>
  indexes(size).map((index) => ({
    caller: callerOf(index),
    page,
    offset: (index * every) / size,
    every,
    times,
  }));

const whatAllShow = { oldest: 25, refused: 0 } as const;
const withinTheLimit = { ...whatAllShow, whole: 99, prompt: 95 };

/** Calls of the exact scenario: so many callers, so many pages each, ten calls a page. */
const exactly = { callers: 20, pages: 5 };

/** All scenarios, in the order in which they run. */
export const createScenarios = ({ refreshes, fleet }: Size): readonly Scenario[] => {
  const minute = refreshes * 5000;
  /** In between the refreshes. */
  const commands = { offset: 2500, every: 10_000, times: Math.ceil(minute / 10_000) };
  return [
    {
      name: 's1',
      about:
        'an organization with eight services and their pipes, ten reads; five viewers with one key, every 5 s',
      viewers: audience(organizationPage, 5, 5000, refreshes),
      within: 10_000,
      bounds: withinTheLimit,
    },
    {
      name: 's2',
      about:
        'ten dashboards with tiles and alerts, two reads; twenty viewers with one token, every 5 s',
      viewers: audience(dashboardsPage, 20, 5000, refreshes),
      within: 10_000,
      bounds: withinTheLimit,
    },
    {
      name: 's3',
      about: `both pages; three viewers of each with each of ${fleet} credentials, every 10 s`,
      viewers: [organizationPage, dashboardsPage].flatMap((page) =>
        audience(page, 3 * fleet, 10_000, Math.ceil(minute / 10_000), (index) => index % fleet),
      ),
      within: 10_000,
      bounds: withinTheLimit,
    },
    {
      name: 's4',
      about: 'thirty services, `service(id) { name pipes { name } }` of each at once with one key',
      viewers: indexes(servicesOf[1]).map((service) => ({
        caller: 0,
        page: smallPage(service),
        offset: 0,
        every: 1,
        times: 1,
      })),
      within: 30_000,
      bounds: { whole: 90, refused: 0 },
    },
    {
      name: 's5',
      about: 's1, and one of the viewers stops and starts a pipe every 10 s',
      viewers: audience(organizationPage, 5, 5000, refreshes),
      commands,
      within: 10_000,
      bounds: { ...whatAllShow, whole: 95, prompt: 70 },
    },
    {
      name: 's6',
      about: 's5 with a page of two reads, a service and its pipes',
      viewers: audience(servicePage, 5, 5000, refreshes),
      commands,
      within: 10_000,
      bounds: withinTheLimit,
    },
    {
      name: 'exact',
      about: `1000 calls: the page of s1 again and again with \`Cache-Control: no-cache\`, ${exactly.callers} keys, up to 60 ms of jitter each way`,
      viewers: indexes(exactly.callers).map((caller) => ({
        caller,
        page: organizationPage,
        offset: 0,
        every: 1,
        times: exactly.pages,
      })),
      within: 30_000,
      bounds: { refused: 0, calls: 1000 },
      headers: ['cache-control', 'no-cache'],
      jitter: 60,
      alone: true,
    },
  ];
};

/** What runs where nothing else is asked for. */
export const usualScenarios: readonly string[] = ['s1', 's4', 's5'];

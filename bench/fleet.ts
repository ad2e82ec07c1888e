import { compared, type ServerName } from './children.ts';
import { type FleetSize, kindsOf } from './fleet-size.ts';
import {
  bodyOf,
  type Page,
  type Rhythm,
  type Scenario,
  servicePage,
  serviceThings,
  type Viewer,
  type Writer,
} from './scenarios.ts';
import { count, fleetOrganization, organizationId } from './world.ts';

/**
 * Bounds for Sluice with a fleet. In all scenarios no call is answered with 429, no view shows an earlier state, every write
 * is carried out, every small page is whole, and each call of these writes and pages gets its slot within a second.
 */
export interface FleetBounds {
  /** Seconds from the first request to the first whole view; with parts, to the last part. */
  readonly whole: number;
  /** Percent of the later views that are whole within a second. */
  readonly prompt: number;
  /** The greatest age of a part of any view, in seconds. */
  readonly oldest: number;
}

/** Viewers of a page with a whole fleet, and concurrent small pages and writes. */
export interface FleetScenario extends Pick<Scenario, 'name' | 'viewers' | 'writes'> {
  readonly fleet: FleetSize;
  readonly things: number;
  readonly bounds: FleetBounds;
  /** Sluice, and the other servers that support the scenario. */
  readonly servers: readonly ServerName[];
  /** Concurrent small pages, which have to be whole and to get their slots at once. */
  readonly besides: readonly Viewer[];
  /** A page that is requested once, in parts. */
  readonly parts?: Page;
}

const second = 1000;
const minute = 60 * second;

const query = (pipes: string): string =>
  `query ($id: ID!) { organization(organizationId: $id) { services { id name ${pipes} } } }`;

/** The services and their pipes: one read for each service, and one for the list of services. */
export const fleetPage = (fleet: FleetSize, pipes: string): Page => ({
  body: bodyOf(query(pipes), { id: organizationId(fleetOrganization) }),
  things: kindsOf(fleet).flatMap((kind, service) => {
    const [own = '', ...others] = serviceThings(fleetOrganization, service);
    return kind === 'sleeping' ? [own] : [own, ...others];
  }),
  asleep: fleet.sleeping,
});

const pipes = 'pipes { id name state }';

/** The services in an order in which neighbours are far apart, each once. */
const scattered = (services: readonly number[]): readonly number[] => {
  const stride = Math.max(1, Math.floor(services.length / 8));
  return count(stride, (start) => services.filter((_, at) => at % stride === start)).flat();
};

/** Every 20 s a pipe of another service is stopped, and every 30 s a page of two calls is viewed. */
const besides = (
  fleet: FleetSize,
  ends: number,
): { writes: Writer; besides: readonly Viewer[] } => {
  const kinds = kindsOf(fleet);
  const numbers = scattered(count(fleet.services, (service) => service));
  const pages = numbers.toReversed().map((service): Page => {
    const page = servicePage(fleetOrganization, service);
    if (kinds[service] !== 'sleeping') return page;
    return { ...page, things: page.things.slice(0, 1), asleep: 1 };
  });
  const always: Pick<Rhythm, 'times' | 'ends'> = { times: Infinity, ends };
  return {
    writes: {
      ...{ ...always, offset: 10 * second, every: 20 * second },
      pipes: numbers
        .filter((service) => kinds[service] !== 'sleeping')
        .map((service) => [fleetOrganization, service, 0]),
    },
    besides: [{ ...always, caller: 0, pages, offset: 5 * second, every: 30 * second }],
  };
};

/** For 120 services; a larger fleet has proportionally more time. */
const boundsOf = ({ services }: FleetSize, prompt: number): FleetBounds => {
  const times = Math.max(1, services / 120);
  return { whole: 180 * times, prompt, oldest: 240 * times };
};

/** Scenarios of a fleet, which last for some minutes; docs/performance.md describes them. */
export const createFleetScenarios = (
  fleet: FleetSize,
  minutes: number,
): readonly FleetScenario[] => {
  const page = fleetPage(fleet, pipes);
  const ends = minutes * minute;
  const usual = { fleet, things: page.things.length };
  const viewers = count(3, (index): Viewer => {
    const rhythm = { offset: 5 * second * index, every: 15 * second, times: Infinity, ends };
    return { caller: 0, pages: [page], ...rhythm };
  });
  const bounds = boundsOf(fleet, 98);
  const s7 = { name: 's7', servers: compared, viewers, ...besides(fleet, ends), bounds };
  const parts = fleetPage(fleet, `... @defer { ${pipes} }`);
  // Mercurius and Apollo Server, on graphql 16, ignore `@defer`.
  const servers: readonly ServerName[] = ['Sluice', 'Yoga'];
  const s8 = {
    name: 's8',
    servers,
    viewers: [],
    parts,
    ...besides(fleet, Math.min(ends, bounds.whole * second)),
  };
  return [
    { ...usual, ...s7 },
    { ...usual, ...s8, bounds: { ...bounds, prompt: 0 } },
  ];
};

/** Pages of 10 to 60 services, each with its own backend: five viewers refresh every 5 s, as in s1. */
export const createSizes = (minutes: number): readonly FleetScenario[] =>
  [10, 20, 30, 40, 50, 60].map((services): FleetScenario => {
    const fleet = { services, sleeping: 0, slow: 0 };
    const page = fleetPage(fleet, pipes);
    const viewers = count(5, (index): Viewer => {
      const rhythm = { offset: second * index, every: 5 * second, times: Infinity };
      return { caller: 0, pages: [page], ...rhythm, ends: minutes * minute };
    });
    const bounds = boundsOf(fleet, 95);
    const things = page.things.length;
    const name = `${services} services`;
    return { name, servers: ['Sluice'], fleet, things, viewers, besides: [], bounds };
  });

import type { Counts } from './backend.ts';
import {
  cpuMicroseconds,
  peakMegabytes,
  type ServerName,
  type Started,
  startBackend,
  startReplicas,
  startServer,
  takeCounts,
} from './children.ts';
import type { FleetScenario } from './fleet.ts';
import { writeFleetSize } from './fleet-size.ts';
import type { Scenario } from './scenarios.ts';
import { type Seen, watch } from './viewers.ts';
import type { WindowKind } from './windows.ts';

/** The results of a scenario on one server. */
export interface Goodput<Kind = Scenario> extends Seen {
  readonly scenario: Kind;
  readonly windows: WindowKind;
  readonly server: ServerName | 'replicas';
  readonly counts: Counts;
  /** CPU time of the scenario, and peak memory; undefined for several processes. */
  readonly use: { readonly cpuSeconds: number; readonly megabytes: number } | undefined;
}

/** Makes Sluice report how long each call has waited for its slot. */
const explained = { EXPLAIN: 'on' };

/** Dashboards and alerts are below services, and behind their URL. */
const oneTree = {
  MANAGEMENT_PROFILE: 'clickhouse-cloud',
  OBSERVABILITY_PROFILE: 'clickstack-cloud',
  OBSERVABILITY_URL: '',
};

/**
 * Runs a scenario on all servers at the same time, since they wait most of the time. Each server is new, with empty memory.
 * With replicas, several processes of Sluice with one Redis run as well.
 */
export const measureGoodput = <Kind extends Scenario | FleetScenario>(
  scenario: Kind,
  windows: WindowKind,
  replicas: number,
  servers: readonly ServerName[],
): Promise<readonly Goodput<Kind>[]> => {
  const fleet = 'fleet' in scenario ? { FLEET: writeFleetSize(scenario.fleet) } : undefined;
  const measure = async (
    server: Goodput['server'],
    start: (backend: string) => Promise<Started & { readonly pid?: number }>,
  ): Promise<Goodput<Kind>> => {
    const backend = await startBackend({ WINDOWS: windows, ...fleet });
    const started = await start(backend.url);
    const { pid } = started;
    const before = pid === undefined ? 0 : cpuMicroseconds(pid);
    const seen = await watch([started.url], scenario);
    const use = pid !== undefined && {
      cpuSeconds: (cpuMicroseconds(pid) - before) / 1e6,
      megabytes: peakMegabytes(pid),
    };
    const counts = await takeCounts(backend.url);
    await started.stop();
    await backend.stop();
    return { scenario, windows, server, counts, use: use || undefined, ...seen };
  };
  const isOneTree = 'isOneTree' in scenario;
  const env = isOneTree ? oneTree : fleet && explained;
  const able = isOneTree ? servers.filter((name) => name === 'Sluice') : servers;
  const alone = able.map((name) => measure(name, (url) => startServer(name, url, env)));
  const together =
    replicas > 1 ? [measure('replicas', (url) => startReplicas(url, replicas, env))] : [];
  return Promise.all([...alone, ...together]);
};

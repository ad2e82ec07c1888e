import type { Counts } from './backend.ts';
import {
  type ServerName,
  type Started,
  startBackend,
  startReplicas,
  startServer,
  takeCounts,
} from './children.ts';
import type { Scenario } from './scenarios.ts';
import { type Seen, watch } from './viewers.ts';
import type { WindowKind } from './windows.ts';

/** What a scenario showed of one server. */
export interface Goodput extends Seen {
  readonly scenario: Scenario;
  readonly windows: WindowKind;
  readonly server: ServerName | 'replicas';
  readonly counts: Counts;
}

const compared: readonly ServerName[] = ['Sluice', 'Mercurius', 'Yoga', 'Apollo'];

/**
 * Runs a scenario on all servers side by side, since they wait most of the time; new ones, which remember nothing. With
 * replicas, so many processes of Sluice with one Redis come along.
 */
export const measureGoodput = (
  scenario: Scenario,
  windows: WindowKind,
  replicas: number,
): Promise<readonly Goodput[]> => {
  const measure = async (
    server: Goodput['server'],
    start: (backend: string) => Promise<Started>,
  ): Promise<Goodput> => {
    const backend = await startBackend({ WINDOWS: windows });
    const started = await start(backend.url);
    const seen = await watch(started.url, scenario);
    const counts = await takeCounts(backend.url);
    await started.stop();
    await backend.stop();
    return { scenario, windows, server, counts, ...seen };
  };
  const alone = compared.map((name) => measure(name, (url) => startServer(name, url)));
  const together = replicas > 1 ? [measure('replicas', (url) => startReplicas(url, replicas))] : [];
  return Promise.all([...alone, ...together]);
};

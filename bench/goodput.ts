import type { Counts } from './backend.ts';
import { type ServerName, startBackend, startServer, takeCounts } from './children.ts';
import type { Scenario } from './scenarios.ts';
import { type Seen, watch } from './viewers.ts';
import type { WindowKind } from './windows.ts';

/** What a scenario showed of one server. */
export interface Goodput extends Seen {
  readonly scenario: Scenario;
  readonly windows: WindowKind;
  readonly server: ServerName;
  readonly counts: Counts;
}

const compared: readonly ServerName[] = ['Sluice', 'Mercurius', 'Yoga', 'Apollo'];

/** Runs a scenario on all servers side by side, since they wait most of the time; new ones, which remember nothing. */
export const measureGoodput = (
  scenario: Scenario,
  windows: WindowKind,
): Promise<readonly Goodput[]> =>
  Promise.all(
    compared.map(async (server) => {
      const backend = await startBackend({ WINDOWS: windows });
      const child = await startServer(server, backend.url);
      const seen = await watch(child.url, scenario);
      const counts = await takeCounts(backend.url);
      await child.stop();
      await backend.stop();
      return { scenario, windows, server, counts, ...seen };
    }),
  );

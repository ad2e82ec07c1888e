import { documents, isSubscription, textOf, variablesOf } from '../operations.ts';
import { worldOf } from '../world/worlds.ts';

/** A small world with something of every kind. */
export const sampleWorld = worldOf({
  organizations: 2,
  services: 2,
  pipesPerService: 4,
  dashboards: 2,
  tilesPerDashboard: 2,
  alerts: 4,
});

interface Sample {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** The queries and mutations of operations/, with identifiers of the sandbox. */
export const samples: readonly Sample[] = Object.keys(documents)
  .filter((name) => !isSubscription(name))
  .map((name) => ({ query: textOf(name), variables: variablesOf(name) }));

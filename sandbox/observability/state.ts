import type { Fault } from '../faults.ts';
import { routeFor } from '../routes.ts';
import type { Sequence } from '../sequence.ts';
import type { Alert, Dashboard } from './shapes.ts';

/** A team and all it sees: a token belongs to one team. */
export type Team = {
  readonly id: string;
  readonly dashboards: Map<string, Dashboard>;
  readonly alerts: Map<string, Alert>;
};

/** Everything the observability interface remembers; `T` is the team in the dialect that it speaks. */
export type ObservabilityState<T = Team> = {
  /** By token. */
  readonly teams: ReadonlyMap<string, T>;
  /** By token, for those that fail on purpose. */
  readonly faults: ReadonlyMap<string, Fault>;
  readonly clock: () => Date;
  readonly sequence: Sequence;
};

/** Writes a row of the observability interface. */
export const route = routeFor<Team>();

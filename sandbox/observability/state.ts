import type { Fault } from '../faults.ts';
import { routeFor } from '../routes.ts';
import type { Sequence } from '../sequence.ts';
import type { Alert, Dashboard } from './shapes.ts';

/** A team and its data; each token belongs to one team. */
export type Team = {
  readonly id: string;
  readonly dashboards: Map<string, Dashboard>;
  readonly alerts: Map<string, Alert>;
};

/** The whole state of the observability interface; `T` is the team in the interface's dialect. */
export type ObservabilityState<T = Team> = {
  /** By token. */
  readonly teams: ReadonlyMap<string, T>;
  /** By token, for tokens that fail on purpose. */
  readonly faults: ReadonlyMap<string, Fault>;
  readonly clock: () => Date;
  readonly sequence: Sequence;
};

/** Makes a route of the observability interface. */
export const route = routeFor<Team>();

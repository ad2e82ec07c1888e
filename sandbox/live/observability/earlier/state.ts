import type { ObservabilityState, Team } from '../../../observability/state.ts';
import { Refusal } from '../../../refusal.ts';
import { routeFor } from '../../../routes.ts';
import { objectId } from '../object-id.ts';
import type { EarlierAlert, EarlierDashboard } from './shapes.ts';

/** A team and its data. */
export type EarlierTeam = Pick<Team, 'id'> & {
  readonly dashboards: Map<string, EarlierDashboard>;
  readonly alerts: Map<string, EarlierAlert>;
};

/** The whole state of HyperDX 2.13. */
export type EarlierState = ObservabilityState<EarlierTeam>;

/** Makes a route of HyperDX 2.13. */
export const route = routeFor<EarlierTeam>();

/** Finds the object of a path's identifier. */
export const find = <T>(things: ReadonlyMap<string, T>, id: string): T => {
  const thing = things.get(objectId(id, 'id'));
  if (thing === undefined) throw new Refusal(404, 'Not Found');
  return thing;
};

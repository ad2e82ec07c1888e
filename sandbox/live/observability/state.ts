import type { ObservabilityState, Team } from '../../observability/state.ts';
import { Refusal } from '../../refusal.ts';
import { routeFor } from '../../routes.ts';
import type { LiveAlert } from './alert-shapes.ts';
import type { LiveDashboard } from './dashboard-shapes.ts';
import { objectId } from './object-id.ts';

/** The data that tiles and saved searches read. */
export type Source = {
  readonly id: string;
  readonly name: string;
  readonly kind: 'log' | 'trace' | 'metric' | 'session' | 'promql';
  readonly connection: string;
  readonly from: { readonly databaseName: string; readonly tableName: string };
  readonly timestampValueExpression: string;
};

/** Where notifications are sent. Answers never contain its headers and query parameters, so they are not stored here. */
export type Webhook = {
  readonly id: string;
  readonly name: string;
  /** Answers omit webhooks of the service slack_api. */
  readonly service: 'slack' | 'incidentio' | 'generic' | 'slack_api';
  readonly url: string;
  readonly description: string;
  readonly createdAt: string;
  readonly updatedAt: string;
};

/** A search with a name. */
export type SavedSearch = {
  readonly id: string;
  readonly name: string;
  readonly sourceId: string;
  readonly select: string;
  readonly where: string;
  readonly whereLanguage: 'lucene' | 'sql';
  readonly orderBy: string;
  readonly tags: readonly string[];
  readonly filters: readonly unknown[];
  readonly createdAt: string;
  readonly updatedAt: string;
};

/** A team and its data. */
export type LiveTeam = Pick<Team, 'id'> & {
  readonly dashboards: Map<string, LiveDashboard>;
  readonly alerts: Map<string, LiveAlert>;
  readonly sources: ReadonlyMap<string, Source>;
  readonly webhooks: ReadonlyMap<string, Webhook>;
  readonly savedSearches: ReadonlyMap<string, SavedSearch>;
};

/** The whole state of HyperDX. */
export type HyperdxState = ObservabilityState<LiveTeam>;

/** Makes a route of HyperDX. */
export const route = routeFor<LiveTeam>();

/** Finds the object of a path's identifier. */
export const find = <T>(things: ReadonlyMap<string, T>, id: string, name: string): T => {
  const thing = things.get(objectId(id, 'id'));
  if (thing === undefined) throw new Refusal(404, `${name} not found`);
  return thing;
};

import type { Team } from '../../observability/state.ts';
import { world } from '../../world/ids.ts';
import { createObservabilityState } from '../../world.ts';
import { liveAlert, saturation, slowQueries } from '../world/alerts.ts';
import { capacity, liveDashboard } from '../world/dashboards.ts';
import { liveWorld } from '../world/ids.ts';
import {
  hiddenWebhook,
  mainSavedSearches,
  mainSources,
  mainWebhooks,
  secondTeamSources,
  secondWebhooks,
} from '../world/lists.ts';
import type { HyperdxState, LiveTeam } from './state.ts';

const byId = <T extends { readonly id: string }>(things: readonly T[]): Map<string, T> =>
  new Map(things.map((thing) => [thing.id, thing]));

const mainTeam = ({ id, dashboards, alerts }: Team): LiveTeam => {
  const sources = { events: liveWorld.sources.logs, metrics: liveWorld.sources.metrics };
  return {
    id,
    dashboards: byId([
      ...[...dashboards.values()].map((one) => liveDashboard(one, sources)),
      capacity,
    ]),
    alerts: byId([...[...alerts.values()].map(liveAlert), slowQueries, saturation]),
    sources: byId(mainSources),
    webhooks: byId([...mainWebhooks, hiddenWebhook]),
    savedSearches: byId(mainSavedSearches),
  };
};

const secondTeam = ({ id, dashboards, alerts }: Team): LiveTeam => {
  const { metrics } = liveWorld.secondSources;
  const sources = { events: metrics, metrics };
  return {
    id,
    dashboards: byId([...dashboards.values()].map((one) => liveDashboard(one, sources))),
    alerts: byId([...alerts.values()].map(liveAlert)),
    sources: byId(secondTeamSources),
    webhooks: byId(secondWebhooks),
    savedSearches: new Map(),
  };
};

/** The initial state of HyperDX: the documented world in its dialect, and data that only HyperDX has. */
export const createHyperdxState = (clock: () => Date): HyperdxState => {
  const state = createObservabilityState(clock);
  const live = new Map<string, LiveTeam>();
  const liveTeam = (team: Team): LiveTeam => {
    const known = live.get(team.id);
    if (known) return known;
    const made = team.id === world.observability.main.teamId ? mainTeam(team) : secondTeam(team);
    live.set(team.id, made);
    return made;
  };
  return {
    ...state,
    // Tokens of one team share its state.
    teams: new Map([...state.teams].map(([token, team]) => [token, liveTeam(team)])),
  };
};

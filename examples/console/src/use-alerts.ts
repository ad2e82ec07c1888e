import type { SluiceProblem } from '@sluice/client';
import { useMemo } from 'react';
import type { Entry } from './arrange.ts';
import {
  type AlertFieldsFragment,
  type AlertPhase,
  AlertsDocument,
  type AlertsSubscription,
  GatewayDocument,
} from './generated/operations.ts';
import { problemsAt } from './problems.ts';
import { type Follow, type Keep, type Live, useLive } from './use-live.ts';

/** An alert with the names of its dashboard and tile. */
export interface AlertEntry extends Entry<AlertPhase> {
  readonly nodeId: string;
  readonly alert: AlertFieldsFragment;
  /** Problems with reading the alert's parts. */
  readonly problems: readonly SluiceProblem[];
}

export interface Alerts {
  readonly live: Live<AlertsSubscription>;
  readonly entries: readonly AlertEntry[];
}

const follow: Follow<AlertsSubscription> = async function* (client, options) {
  const { signal } = options;
  const { data } = await client.execute(GatewayDocument, {}, { signal });
  const unavailable = data?.gateway.unavailableFields ?? [];
  const withSavedSearches = !unavailable.includes('Alert.savedSearch');
  for await (const answer of client.subscribe(AlertsDocument, { withSavedSearches }, options)) {
    yield { ...answer, isUnread: !answer.data?.alerts };
  }
};

const keep: Keep<AlertsSubscription> = (before, { data }) =>
  (data?.alerts ? data : before) ?? data ?? undefined;

type Listed = NonNullable<AlertsSubscription['alerts']>[number];

const placeOf = (
  { source, dashboard, tile, savedSearch }: Listed,
  problems: readonly SluiceProblem[],
): string => {
  if (source === 'SEARCH') return savedSearch?.name ?? 'Saved search';
  if (!dashboard) return problems.length > 0 ? 'Dashboard not read' : 'Deleted dashboard';
  return [dashboard.name ?? 'Unnamed dashboard', tile?.name ?? 'deleted tile'].join(' › ');
};

const entriesOf = ({
  data,
  problems,
}: Pick<Live<AlertsSubscription>, 'data' | 'problems'>): readonly AlertEntry[] =>
  (data?.alerts ?? []).map((listed, index) => {
    const { dashboard: _, savedSearch: __, tile: ___, ...alert } = listed;
    const own = problemsAt(problems, ['alerts', index]);
    return {
      nodeId: alert.nodeId,
      name: alert.displayName,
      place: placeOf(listed, own),
      phase: alert.phase,
      alert,
      problems: own,
    };
  });

/** All alerts that the token may see, kept up to date over one connection. */
export const useAlerts = (): Alerts => {
  const live = useLive('observability', follow, keep);
  const { data, problems } = live;
  const entries = useMemo(() => entriesOf({ data, problems }), [data, problems]);
  // The rows show the problems of their alerts.
  const others = problems.filter(({ path }) => typeof path?.[1] !== 'number');
  return { live: { ...live, problems: others }, entries };
};

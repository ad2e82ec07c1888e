import type { SluiceProblem } from '@sluice/client';
import { useMemo } from 'react';
import type { Entry } from './arrange.ts';
import {
  type AlertFieldsFragment,
  type AlertPhase,
  AlertsDocument,
  AlertsOfServicesDocument,
  type AlertsOfServicesSubscription,
  GatewayDocument,
  type ListedAlertFragment,
} from './generated/operations.ts';
import { isFailure, problemsAt } from './problems.ts';
import { hasOneKey, useSession } from './session.ts';
import { type Follow, type Keep, type Live, useLive } from './use-live.ts';
import { failuresOf } from './use-pipes.ts';

/** The service in whose ClickStack an alert is. */
interface Service {
  readonly organizationId: string;
  readonly serviceId: string;
}

/** An alert with the names of its dashboard and tile. */
export interface AlertEntry extends Entry<AlertPhase> {
  readonly nodeId: string;
  readonly alert: AlertFieldsFragment;
  /** Undefined if alerts are not below services. */
  readonly service: Service | undefined;
  /** Problems with reading the alert's parts. */
  readonly problems: readonly SluiceProblem[];
}

type OfService = NonNullable<
  NonNullable<AlertsOfServicesSubscription['organization']>['services']
>[number];

/** The alerts of all services, or the only list of all alerts. */
interface AlertsData {
  /** Null if they could not be read. */
  readonly alerts?: readonly ListedAlertFragment[] | null;
  readonly services?: readonly OfService[] | null;
}

export interface Alerts {
  readonly live: Live<AlertsData>;
  readonly entries: readonly AlertEntry[];
  /** Whether alerts have been read, now or before. */
  readonly isKnown: boolean;
  /** Whether some have not been read. */
  readonly isPartial: boolean;
}

/** A service without a ClickStack has no alerts. */
const isWithoutStack = ({ code }: SluiceProblem): boolean => code === 'OPERATION_UNAVAILABLE';

const follow = (organizationId: string | undefined): Follow<AlertsData> =>
  async function* (client, options) {
    const { signal } = options;
    const { data } = await client.execute(GatewayDocument, {}, { signal });
    const unavailable = data?.gateway.unavailableFields ?? [];
    const withSavedSearches = !unavailable.includes('Alert.savedSearch');
    if (!hasOneKey(data?.gateway)) {
      for await (const answer of client.subscribe(AlertsDocument, { withSavedSearches }, options)) {
        yield { ...answer, isUnread: !answer.data?.alerts };
      }
    } else if (organizationId !== undefined) {
      const variables = { organizationId, withSavedSearches };
      for await (const answer of client.subscribe(AlertsOfServicesDocument, variables, options)) {
        const services = answer.data?.organization?.services ?? null;
        const errors = answer.errors.filter((problem) => !isWithoutStack(problem));
        yield { ...answer, data: { services }, errors, isUnread: !services };
      }
    }
  };

const keep: Keep<AlertsData> = (before, { data, errors }) => {
  if (data?.alerts) return data;
  if (!data?.services) return before ?? data ?? undefined;
  const unread = new Set(errors.map(({ path }) => path?.[2]));
  const known = new Map(before?.services?.map(({ nodeId, alerts }) => [nodeId, alerts]));
  const services = data.services.map((service, index) => ({
    ...service,
    alerts: service.alerts ?? (unread.has(index) ? (known.get(service.nodeId) ?? null) : null),
  }));
  return { services };
};

const placeOf = (
  { source, dashboard, tile, savedSearch }: ListedAlertFragment,
  problems: readonly SluiceProblem[],
): string => {
  if (source === 'SEARCH') return savedSearch?.name ?? 'Saved search';
  if (!dashboard && source !== 'TILE') return 'No dashboard';
  if (!dashboard) return problems.length > 0 ? 'Dashboard not read' : 'Deleted dashboard';
  return [dashboard.name ?? 'Unnamed dashboard', tile?.name ?? 'deleted tile'].join(' › ');
};

interface List {
  readonly alerts: readonly ListedAlertFragment[] | null | undefined;
  /** Where the list is in an answer. */
  readonly path: readonly (string | number)[];
  readonly service?: OfService;
}

const listsOf = ({ alerts, services }: AlertsData): readonly List[] =>
  services?.map((service, index) => ({
    ...{ alerts: service.alerts, service },
    path: ['organization', 'services', index, 'alerts'],
  })) ?? [{ alerts, path: ['alerts'] }];

const entriesIn = (
  { alerts, path, service }: List,
  problems: readonly SluiceProblem[],
): readonly AlertEntry[] =>
  (alerts ?? []).map((listed, index) => {
    const { dashboard: _, savedSearch: __, tile: ___, ...alert } = listed;
    const own = problemsAt(problems, [...path, index]);
    const place = placeOf(listed, own);
    return {
      nodeId: alert.nodeId,
      name: alert.displayName,
      place: service ? `${service.name ?? 'Unnamed service'} › ${place}` : place,
      phase: alert.phase,
      alert,
      service: service && { organizationId: service.organizationId, serviceId: service.id },
      problems: own,
    };
  });

/** Whether a problem concerns one alert, so that its row shows it. */
const isOfRow = ({ path }: SluiceProblem): boolean =>
  typeof path?.[path[0] === 'alerts' ? 1 : 4] === 'number';

/** All alerts that the token may see, or those of an organization's services, kept up to date over one connection. */
export const useAlerts = (organizationId: string | undefined): Alerts => {
  const { gateway } = useSession();
  const chosen = hasOneKey(gateway) ? organizationId : undefined;
  const live = useLive(
    'observability',
    useMemo(() => follow(chosen), [chosen]),
    keep,
  );
  const { data, problems } = live;
  const lists = useMemo(() => listsOf(data ?? {}), [data]);
  const entries = useMemo(
    () => lists.flatMap((list) => entriesIn(list, problems)),
    [lists, problems],
  );
  const isPartial = lists.some(
    ({ alerts, path }) => !alerts && problemsAt(problems, path).length > 0,
  );
  const others = problems.filter((problem) => !isOfRow(problem));
  const limited = others.filter((problem) => !isFailure(problem));
  const told = data?.services
    ? [...failuresOf('Alerts', data.services, others.filter(isFailure)), ...limited]
    : others;
  return {
    live: { ...live, problems: told },
    entries,
    isKnown: lists.some(({ alerts }) => alerts) || (Boolean(data?.services) && !isPartial),
    isPartial,
  };
};

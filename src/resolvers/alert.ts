import type {
  AlertFilter,
  AlertResolvers,
  InputMaybe,
  MutationResolvers,
  QueryResolvers,
  UpdateAlertInput,
} from '../generated/schema.ts';
import { isObject } from '../is-object.ts';
import { encodeNodeId } from '../node-id.ts';
import { UpstreamError } from '../upstream/error.ts';
import type { AlertRecord } from '../upstream/observability/records.ts';
import type { ReplaceAlertRequest } from '../upstream/observability/requests.ts';
import { findAlert, findLinkedDashboard, findLinkedTile } from './entities.ts';
import { enumReader, inputEnums } from './enums.ts';
import { matches, nameContains } from './filter.ts';
import { mutation } from './mutation.ts';
import type { RootsOf } from './roots.ts';

const passes = (alert: AlertRecord, filter: InputMaybe<AlertFilter>): boolean =>
  matches(alert.dashboard, filter?.dashboardId) &&
  matches(alert.tileId, filter?.tileId) &&
  matches(alert.state, filter?.state) &&
  matches(alert.source, filter?.source) &&
  matches(alert.thresholdType, filter?.thresholdType) &&
  nameContains(alert.name, filter?.nameContains);

export const Query: RootsOf<QueryResolvers, 'alerts' | 'alert'> = {
  alerts: async (_, { filter }, { upstream }) => {
    if (!filter) return upstream.observability.listAlerts();
    const alerts = await upstream.observability.listAlerts();
    return alerts.filter((alert) => passes(alert, filter));
  },
  alert: (_, { id }, context, info) => findAlert({ alertId: id }, context, info),
};

const readSource = enumReader(inputEnums.AlertSourceInput);
const readThresholdType = enumReader(inputEnums.AlertThresholdTypeInput);

export const Alert: AlertResolvers = {
  nodeId: ({ id }) => encodeNodeId('Alert', id),
  source: ({ source }) => readSource(source),
  thresholdType: ({ thresholdType }) => readThresholdType(thresholdType),
  teamId: (parent) => parent.team,
  savedSearchId: (parent) => parent.savedSearch,
  dashboardId: (parent) => parent.dashboard,
  dashboard: ({ dashboard }, _, context, info) =>
    dashboard ? findLinkedDashboard(dashboard, context, info) : null,
  tile: ({ dashboard, tileId }, _, context, info) => {
    if (!dashboard || !tileId) return null;
    return findLinkedTile({ dashboardId: dashboard, tileId }, context, info);
  },
};

type Changes = Omit<UpdateAlertInput, 'alertId'>;

/** The members of the update's body, in its order: wire name of the body → wire name of the record. */
const bodyMembers = {
  threshold: 'threshold',
  interval: 'interval',
  thresholdType: 'thresholdType',
  source: 'source',
  dashboardId: 'dashboard',
  tileId: 'tileId',
  channel: 'channel',
  name: 'name',
  message: 'message',
} as const satisfies Record<keyof ReplaceAlertRequest, keyof AlertRecord>;

const names = Object.keys(bodyMembers) as (keyof typeof bodyMembers)[];

/** Every member of the update's body, and of the channel in it. */
const isWhole = (changes: Changes): boolean =>
  names.every((name) => changes[name] !== undefined) &&
  (changes.channel === null ||
    (changes.channel?.type !== undefined && changes.channel.webhookId !== undefined));

/** The alert does not fit the body that would replace it: sending it would change more than was asked. */
const misfit = (member: string): UpstreamError =>
  new UpstreamError({
    upstream: 'observability',
    operation: 'getAlert',
    reason: 'bad-response',
    write: false,
    detail: `the alert's ${member} has a form that cannot be sent back`,
  });

/**
 * The alert's present values as a body. Members of the channel beyond the document stay: PUT replaces,
 * and would lose them.
 */
const present = (alert: AlertRecord): ReplaceAlertRequest =>
  Object.fromEntries(
    names.map((name) => {
      const value = alert[bodyMembers[name]];
      const fits = name === 'channel' ? isObject(value) : typeof value !== 'object';
      if (value !== null && value !== undefined && !fits) throw misfit(bodyMembers[name]);
      return [name, value];
    }),
  );

/** Lays the changes over the alert; inside the channel too, since its other member would be lost. */
const merge = (alert: AlertRecord, changes: Changes): ReplaceAlertRequest => ({
  ...present(alert),
  ...changes,
  ...(changes.channel && { channel: { ...alert.channel, ...changes.channel } }),
});

export const Mutation: RootsOf<MutationResolvers, 'updateAlert'> = {
  updateAlert: mutation<'updateAlert'>(
    async ({ alertId, ...changes }, { upstream: { observability } }) => {
      const body = isWhole(changes)
        ? changes
        : merge(await observability.anew('getAlert', { alertId }), changes);
      const alert = await observability.replaceAlert({ alertId }, body);
      return { alert: { ...alert, id: alertId } };
    },
  ),
};

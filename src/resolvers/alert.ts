import type {
  AlertChannelResolvers,
  AlertExecutionErrorResolvers,
  AlertFilter,
  AlertOrderField,
  AlertResolvers,
  MutationResolvers,
  QueryResolvers,
} from '../generated/schema.ts';
import { isObject } from '../is-object.ts';
import type { Context } from '../request/context.ts';
import { encodeNodeId } from '../schema/node-id.ts';
import { stack } from '../upstream/observability/clickstack.ts';
import {
  checkChanges,
  replaceableOf,
  replacementOf,
} from '../upstream/observability/replacement.ts';
import { type AlertRecord, comparison } from '../upstream/observability/rows/alert.ts';
import { displayNameOf } from './alert-name.ts';
import { beside, givenIn, newIn, pathOf, serviceOf } from './clickstack.ts';
import { findAlert, findLinkedDashboard, findLinkedTile, linkedIn } from './entities.ts';
import { allOf, contains, hasOneOf, is, isOneOf, isOneOfTexts, where } from './filter.ts';
import { AlertSourceInput, AlertThresholdTypeInput } from './input-enums.ts';
import { mutation, update } from './mutation.ts';
import { textKey, timeKey } from './order.ts';
import { alertPhase, alertPhaseKey } from './phase.ts';
import { createSelect } from './select.ts';
import type { RootsOf } from './values.ts';
import { asList, enumReader } from './values.ts';

const readSource = enumReader({ ...AlertSourceInput, INLINE: 'inline' });

/** Some services send another wire string for SEARCH. */
const sourceOf = (wire: string | null | undefined): ReturnType<typeof readSource> =>
  wire === 'saved_search' ? 'SEARCH' : readSource(wire);

/** The documented comparisons. For services with more comparisons, the profile sets `comparison`. */
const readThresholdType = enumReader({
  ABOVE: AlertThresholdTypeInput.ABOVE,
  BELOW: AlertThresholdTypeInput.BELOW,
});
const readComparison = enumReader(AlertThresholdTypeInput);

const thresholdTypeOf = (
  alert: Pick<AlertRecord, typeof comparison | 'thresholdType'>,
): ReturnType<typeof readComparison> =>
  readComparison(alert[comparison]) ?? readThresholdType(alert.thresholdType);

/** When the silence ends, if the record says so. */
const silencedUntil = ({ silenced }: AlertRecord): string | null | undefined =>
  isObject(silenced) ? silenced.until : undefined;

const hasExecutionErrors = ({ executionErrors }: AlertRecord): boolean =>
  (asList(executionErrors)?.length ?? 0) > 0;

/** Whether the alert is silenced now. In a record from memory, the silence may have ended. */
const isSilenced = (alert: AlertRecord): boolean | null | undefined => {
  const { silenced } = alert;
  if (!isObject(silenced)) return silenced;
  const end = Date.parse(silencedUntil(alert) ?? '');
  return Number.isNaN(end) || end > Date.now();
};

/** The alerts that match a filter, in the requested order. */
export const selectAlerts = createSelect<AlertRecord, AlertFilter, AlertOrderField>({
  prepare: (filter) =>
    allOf<AlertRecord>(
      where(({ dashboard }) => dashboard, filter.dashboardIdIn, isOneOf),
      where(({ tileId }) => tileId, filter.tileIdIn, isOneOf),
      where(({ state }) => state, filter.stateIn, isOneOfTexts),
      where(alertPhase, filter.phaseIn, isOneOf),
      where(({ source }) => sourceOf(source), filter.sourceIn, isOneOf),
      where(({ tags }) => tags, filter.tagIn, hasOneOf),
      where(thresholdTypeOf, filter.thresholdTypeIn, isOneOf),
      where(({ name }) => name, filter.nameContains, contains),
      where((alert) => isSilenced(alert) ?? false, filter.silenced, is),
      where(hasExecutionErrors, filter.hasExecutionErrors, is),
    ),
  keys: {
    NAME: ({ name }) => textKey(name),
    PHASE: alertPhaseKey,
    CREATED_AT: ({ createdAt }) => timeKey(createdAt),
    UPDATED_AT: ({ updatedAt }) => timeKey(updatedAt),
  },
});

export const Query: RootsOf<QueryResolvers, 'alerts' | 'alert'> = {
  alerts: async (_, args, context) =>
    selectAlerts(
      await givenIn(args, context, { operation: 'listAlerts' }).listAlerts(),
      args,
      context,
    ),
  alert: (_, { alertId, ...args }, context, info) =>
    findAlert({ alertId, ...serviceOf(args, context, { operation: 'getAlert' }) }, context, info),
};

/** The chart of an inline alert, from the alert's own read where a list has left it out. */
const chartOf = async (
  { id, source, chartConfig, [stack]: service }: AlertRecord,
  context: Context,
): Promise<unknown> => {
  const isElsewhere = source !== undefined && sourceOf(source) !== 'INLINE';
  if (isElsewhere || chartConfig !== undefined) return chartConfig;
  const { observability } = context.upstream;
  const alert = await observability.getAlert({ alertId: id, ...service });
  return alert.chartConfig;
};

export const Alert: AlertResolvers = {
  nodeId: ({ id, [stack]: service }) => encodeNodeId('Alert', ...pathOf(service), id),
  displayName: (alert, _, context, info) => displayNameOf(alert, context, info),
  phase: alertPhase,
  source: ({ source }) => sourceOf(source),
  chartConfig: async (alert, _, context) => {
    const chart = await chartOf(alert, context);
    return chart === null || chart === undefined ? null : JSON.stringify(chart);
  },
  thresholdType: thresholdTypeOf,
  silenced: isSilenced,
  silencedUntil,
  teamId: ({ team }) => team,
  savedSearchId: ({ savedSearch }) => savedSearch,
  savedSearch: (alert, _, context) =>
    linkedIn(alert.savedSearch, () => beside(alert, context).listSavedSearches()),
  dashboardId: ({ dashboard }) => dashboard,
  dashboard: ({ dashboard, [stack]: service }, _, context, info) =>
    dashboard ? findLinkedDashboard({ dashboardId: dashboard, ...service }, context, info) : null,
  tile: ({ dashboard, tileId, [stack]: service }, _, context, info) =>
    dashboard && tileId
      ? findLinkedTile({ dashboardId: dashboard, tileId, ...service }, context, info)
      : null,
};

export const AlertExecutionError: AlertExecutionErrorResolvers = {
  occurredAt: ({ timestamp }) => timestamp,
};

export const AlertChannel: AlertChannelResolvers = {
  webhook: (channel, _, context) =>
    linkedIn(channel.webhookId, () => beside(channel, context).listWebhooks()),
};

export const Mutation: RootsOf<MutationResolvers, 'createAlert' | 'updateAlert' | 'deleteAlert'> = {
  createAlert: mutation<'createAlert'>(async ({ service, ...body }, context) => ({
    alert: await newIn({ service }, context, 'createAlert').createAlert(body),
  })),
  updateAlert: update<'updateAlert'>(async ({ alertId, service, ...changes }, context) => {
    const observability = givenIn({ service }, context, { operation: 'replaceAlert', write: true });
    checkChanges(changes, observability.profile);
    const read = await observability.fresh('getAlert', { alertId });
    checkChanges(changes, observability.profile, read);
    const body = replacementOf(read, changes);
    context.plan?.comparesWith(replaceableOf(read));
    const alert = await observability.replaceAlert({ alertId }, body);
    return { alert: { ...alert, id: alertId }, before: read };
  }),
  deleteAlert: mutation<'deleteAlert'>(async ({ alertId, service }, context) => {
    await givenIn({ service }, context, { operation: 'deleteAlert', write: true }).deleteAlert({
      alertId,
    });
    return { deletedAlertId: alertId };
  }),
};

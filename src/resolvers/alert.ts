import { member, ofMembers, ofParent } from '../execution/of-parent.ts';
import type {
  AlertFilter,
  AlertResolvers,
  InputMaybe,
  MutationResolvers,
  QueryResolvers,
} from '../generated/schema.ts';
import { isObject } from '../is-object.ts';
import { encodeNodeId } from '../node-id.ts';
import type { AlertRecord } from '../upstream/observability/records.ts';
import { replacementOf } from '../upstream/observability/replacement.ts';
import { findAlert, findLinkedDashboard, findLinkedTile } from './entities.ts';
import { enumReader, inputEnums } from './enums.ts';
import { matches, nameContains } from './filter.ts';
import { unparsed } from './list.ts';
import { mutation } from './mutation.ts';
import type { RootsOf } from './roots.ts';

const readSource = enumReader(inputEnums.AlertSourceInput);

/** A second wire string of SEARCH has been seen. */
const sourceOf = (wire: string | null | undefined): ReturnType<typeof readSource> =>
  wire === 'saved_search' ? 'SEARCH' : readSource(wire);

const passes = (alert: AlertRecord, filter: InputMaybe<AlertFilter>): boolean =>
  matches(alert.dashboard, filter?.dashboardId) &&
  matches(alert.tileId, filter?.tileId) &&
  matches(alert.state, filter?.state) &&
  matches(sourceOf(alert.source), sourceOf(filter?.source)) &&
  matches(alert.thresholdType, filter?.thresholdType) &&
  nameContains(alert.name, filter?.nameContains);

export const Query: RootsOf<QueryResolvers, 'alerts' | 'alert'> = {
  alerts: async (_, { filter }, { upstream }) => {
    if (!filter) return unparsed(upstream.observability.rows('listAlerts', {}, false));
    const alerts = await upstream.observability.listAlerts();
    return alerts.filter((alert) => passes(alert, filter));
  },
  alert: (_, { id }, context, info) => findAlert({ alertId: id }, context, info),
};

/** What a link leads to, for telling links apart; nothing where an upstream sent no texts. */
const textOf = (...ids: readonly unknown[]): string | undefined =>
  ids.every((id) => typeof id === 'string') ? ids.join('/') : undefined;

const readThresholdType = enumReader(inputEnums.AlertThresholdTypeInput);

export const Alert: AlertResolvers = {
  nodeId: ofParent(ofMembers(['id'], ({ id }) => encodeNodeId('Alert', id))),
  source: ofParent(ofMembers(['source'], ({ source }) => sourceOf(source))),
  thresholdType: ofParent(
    ofMembers(['thresholdType'], ({ thresholdType }) => readThresholdType(thresholdType)),
  ),
  silenced: ofParent(
    ofMembers(['silenced'], ({ silenced }) => (isObject(silenced) ? true : silenced)),
  ),
  teamId: member('team'),
  savedSearchId: member('savedSearch'),
  dashboardId: member('dashboard'),
  dashboard: ofMembers(['dashboard'], ({ dashboard }, _, context, info) =>
    dashboard ? context.links.follow(dashboard, findLinkedDashboard, context, info) : null,
  ),
  tile: ofMembers(['dashboard', 'tileId'], ({ dashboard, tileId }, _, context, info) => {
    if (!dashboard || !tileId) return null;
    const find = () => findLinkedTile({ dashboardId: dashboard, tileId }, context, info);
    return context.links.follow(textOf(dashboard, tileId), find, context, info);
  }),
};

export const Mutation: RootsOf<MutationResolvers, 'updateAlert'> = {
  updateAlert: mutation<'updateAlert'>(
    async ({ alertId, ...changes }, { upstream: { observability } }) => {
      const read = await observability.anew('getAlert', { alertId });
      const alert = await observability.replaceAlert({ alertId }, replacementOf(read, changes));
      return { alert: { ...alert, id: alertId } };
    },
  ),
};

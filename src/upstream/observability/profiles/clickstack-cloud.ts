import { isObject } from '../../../is-object.ts';
import type { Problem } from '../../error.ts';
import { clickstack } from '../../interface.ts';
import { whenNotRunning } from '../../management/profiles/clickhouse-cloud.ts';
import type { Members, Profile } from '../../profile.ts';
import { hyperdxAlertRule, hyperdxNewAlertRules } from '../hyperdx-rules.ts';
import { type ObservabilityOperations, observabilityOperations } from '../operations.ts';
import { writeAlert } from './hyperdx/alert.ts';
import { hyperdx } from './hyperdx/index.ts';
import { withoutNulls } from './hyperdx/without-nulls.ts';

const root = '/v1/organizations/{organizationId}/services/{serviceId}/clickstack';

/** The paths of all operations: those of HyperDX, below a service. */
const paths: Profile<ObservabilityOperations>['paths'] = Object.fromEntries(
  Object.entries(observabilityOperations).map(([name, { path }]) => [
    name,
    path.replace('/api/v2', root),
  ]),
);

/** Alerts have the channel, and no list of channels. */
const channelsRule = ({ channels }: Members): readonly Problem[] =>
  channels === undefined
    ? []
    : [
        {
          field: ['channels'],
          message: 'channels must not be given: an alert of ClickStack in Cloud has one channel.',
        },
      ];

/** HyperDX omits the members of a channel that are null here. A body that sends them back may be refused. */
const replaceAlert = ({ channel, ...body }: Members): Members =>
  writeAlert({ ...body, channel: isObject(channel) ? withoutNulls(channel) : channel });

/** ClickStack in ClickHouse Cloud, as Cloud's public API description of November 2026 says: HyperDX below a service. */
export const clickstackCloud: Profile<ObservabilityOperations> = {
  ...hyperdx,
  name: 'clickstack-cloud',
  api: clickstack,
  paths,
  // All lists may come in pages, so each with a total must have all its rows.
  pageSizes: { ...hyperdx.pageSizes, listDashboards: 1000, listDataSources: 1000 },
  write: { ...hyperdx.write, replaceAlert },
  permissionOf: () => 'control-plane:service:manage-clickstack-api',
  whenNotRunning,
  rules: {
    ...hyperdx.rules,
    createAlert: (alert) => [...channelsRule(alert), ...hyperdxNewAlertRules(alert)],
  },
  alertRule: (changes, alert) => [
    ...(alert ? [] : channelsRule(changes)),
    ...hyperdxAlertRule(changes, alert),
  ],
};

import { isObject } from '../../../is-object.ts';
import { clickstack } from '../../interface.ts';
import { whenNotRunning } from '../../management/profiles/clickhouse-cloud.ts';
import type { Members, Profile } from '../../profile.ts';
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

/** HyperDX omits the members of a channel that are null here. A body that sends them back may be refused. */
const sentBack = (channel: unknown): unknown =>
  isObject(channel) ? withoutNulls(channel) : channel;

const replaceAlert = ({ channel, channels, ...body }: Members): Members =>
  writeAlert({
    ...body,
    channel: sentBack(channel),
    channels: Array.isArray(channels) ? channels.map(sentBack) : channels,
  });

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
};

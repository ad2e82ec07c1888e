import type { ActivityWithIds } from '../upstream/management/rows/activity.ts';
import type { ApiKeyWithIds } from '../upstream/management/rows/api-key.ts';
import type { PipeWithIds } from '../upstream/management/rows/pipe.ts';
import type { ServiceWithIds } from '../upstream/management/rows/service.ts';
import type { CostRecord, UsageCostRecord } from '../upstream/management/rows/usage-cost.ts';
import type { SourceRecord } from '../upstream/management/source-records.ts';
import type { ChannelRecord } from '../upstream/observability/rows/alert.ts';
import type { SeriesRecord, TileRecord } from '../upstream/observability/rows/dashboard.ts';
import type { WithIds } from '../upstream/operation.ts';

/**
 * The parents that resolvers get where a GraphQL type is not simply an upstream's record: records with the identifiers of
 * their parents, parts of records, and combined records. Only identifiers are required, so a parent may hold nothing else.
 */

export type ActivityMapper = ActivityWithIds;
export type ApiKeyMapper = ApiKeyWithIds;
export type ServiceMapper = ServiceWithIds;
export type PipeMapper = PipeWithIds;
export type TileMapper = WithIds<TileRecord, 'dashboardId'>;
export type TileSeriesMapper = SeriesRecord;
export type AlertChannelMapper = ChannelRecord;

/** The costs that are shown as one object. */
export type Costs = { readonly costs: readonly CostRecord[] };

export type UsageCostMapper = UsageCostRecord & {
  /** Reads the costs of as many days right before these. */
  readonly readPrevious: () => Promise<UsageCostMapper>;
};
export type UsageCostEntityMapper = WithIds<Costs, 'organizationId'>;
export type UsageCostServiceMapper = WithIds<Costs, 'organizationId'>;
export type UsageCostDayMapper = Costs;
export type UsageCostMetricsMapper = Costs;

/** All other fields come from the upstream clients. */
export type GatewayMapper = { readonly version: string };

/** An entity of any type, with the type's name. */
export type NodeMapper = { readonly __typename: string };

type SourceMapper<Kind extends keyof SourceRecord, Name extends string> = NonNullable<
  SourceRecord[Kind]
> & { readonly __typename: Name };

/** With the identifiers of the service that the pipe writes into. */
export type KafkaSourceMapper = SourceMapper<'kafka', 'KafkaSource'> & {
  readonly service: { readonly organizationId: string; readonly serviceId: string };
};
export type ObjectStorageSourceMapper = SourceMapper<'objectStorage', 'ObjectStorageSource'>;
export type KinesisSourceMapper = SourceMapper<'kinesis', 'KinesisSource'>;
export type PostgresSourceMapper = SourceMapper<'postgres', 'PostgresSource'>;
export type MySqlSourceMapper = SourceMapper<'mySql', 'MySqlSource'>;
export type BigQuerySourceMapper = SourceMapper<'bigQuery', 'BigQuerySource'>;
export type MongoDbSourceMapper = SourceMapper<'mongoDb', 'MongoDbSource'>;
export type PubSubSourceMapper = SourceMapper<'pubSub', 'PubSubSource'>;
export type UnknownSourceMapper = {
  readonly kind: string | undefined;
  readonly __typename: 'UnknownSource';
};

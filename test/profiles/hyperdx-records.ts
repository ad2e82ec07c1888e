import { type Members, recordOf, recordsOf } from './record.ts';

/**
 * Records as HyperDX answers them, with every member set. E is a server of January 2026 (HyperDX 2.13), H one of August 2026
 * (HyperDX 2.30 and newer).
 */

export type Era = 'E' | 'H';
export const eras: readonly Era[] = ['E', 'H'];

const idOf = (end: string): string => `65f5e4a3b9e77c0000000${end}`;
export const dashboardId = idOf('d01');
export const savedSearchId = idOf('501');
const teamId = idOf('701');
export const sourceId = idOf('a01');
export const webhook = { type: 'webhook', webhookId: idOf('b01') };
export const otherWebhook = { type: 'webhook', webhookId: idOf('b02') };
export const tileAlertId = idOf('e01');
export const searchAlertId = idOf('e02');
export const betweenAlertId = idOf('e03');

const times = 'createdAt=2026-03-15T10:20:30.000Z updatedAt=2026-03-15T14:25:10.000Z';
const channel = `type=webhook webhookId=${webhook.webhookId}`;
const alert = `name=Errors message="Too many errors." threshold=80 interval=5m thresholdType=above
  state=ALERT channel{${channel}} groupBy=ServiceName ${times}`;
const silenced = `by=${idOf('c01')} at=2026-03-15T15:00:00.000Z until=2026-03-16T15:00:00.000Z`;
const earlier = `${alert} silenced{_id=${idOf('f01')} ${silenced}} team=${teamId}`;
const later = `${alert} silenced{${silenced}} teamId=${teamId} note="Ask the payments team."
  channels[${channel} | type=webhook webhookId=${otherWebhook.webhookId}] numConsecutiveWindows=3
  scheduleOffsetMinutes=2 scheduleStartAt=2026-03-15T00:00:00.000Z
  createdBy{name=Jane email=jane@example.com}
  executionErrors[timestamp=2026-03-15T14:25:10.000Z type=QUERY_TIMEOUT message="It took too long."]`;
const onTile = `dashboardId=${dashboardId} tileId=tile-1 source=tile`;

/** The alerts of a server: on a tile, on a saved search, and with H between two thresholds. */
export const alertsOf: Readonly<Record<Era, readonly Members[]>> = {
  E: recordsOf(`id=${tileAlertId} ${earlier} dashboard=${dashboardId} tileId=tile-1 source=tile
    | id=${searchAlertId} ${earlier} savedSearch=${savedSearchId} source=saved_search`),
  H: recordsOf(`id=${tileAlertId} ${later} ${onTile}
    | id=${searchAlertId} ${later} savedSearchId=${savedSearchId} source=saved_search
      dashboardId=null tileId=null thresholdMax=null
    | id=${betweenAlertId} ${later} ${onTile} thresholdType=between thresholdMax=120 state=PENDING`),
};

const place = 'x=0 y=2 w=12 h=4';
const duration = `level=0.95 alias=p95 where="" whereLanguage=lucene
  metricName=http.server.duration`;

/** A dashboard of each kind of server, with all members that docs/live-services.md names. */
export const dashboardOf: Readonly<Record<Era, Members>> = {
  // The last tile was made in the editor, the others through the interface.
  E: recordOf(`id=${dashboardId} name=Overview tags=["api"] tiles[
    id=tile-1 name=Errors ${place} seriesReturnType=ratio series[
        type=time table=logs aggFn=count where=level:error whereLanguage=lucene
        groupBy=["service","host"] sourceId=${sourceId}
      | type=time table=metrics aggFn=quantile groupBy=[] field=Value ${duration}
        metricDataType=histogram]
    | id=tile-2 name=Log ${place} seriesReturnType=column
      series[type=search table=logs where="" fields=["Timestamp","Body"]]
    | id=tile-3 name="Read me" ${place} seriesReturnType=column
      series[type=markdown content="# Errors"]
    | id=tile-4 ${place} config{name="Of the editor" source=${sourceId} displayType=stacked_bar
      where=service:api whereLanguage=lucene groupBy="host, concat(a, ', ')"
      select[aggFn=max valueExpression=Duration aggCondition=level:error aggConditionLanguage=sql]}]`),
  H: recordOf(`id=${dashboardId} name=Overview tags=["api"] tiles[
    id=tile-1 name=Errors ${place} containerId=c1 tabId=t1 config{displayType=line
      sourceId=${sourceId} asRatio=true groupBy="service, host" select[
        aggFn=count where=level:error whereLanguage=lucene
      | aggFn=quantile valueExpression=Value ${duration} metricType=histogram periodAggFn=delta]
      formulas[expression=A/B] fillNulls=true alignDateRangeToGranularity=true
      compareToPreviousPeriod=false numberFormat{output=percent mantissa=2}}
    | id=tile-2 name=Log ${place} config{displayType=search sourceId=${sourceId}
      select="Timestamp, Body" where=level:error whereLanguage=sql}
    | id=tile-3 name="Read me" ${place} config{displayType=markdown markdown="# Errors"}
    | id=tile-4 name="In SQL" ${place} config{configType=sql displayType=table
      connectionId=${idOf('c0c')} sqlTemplate="SELECT 1"}
    | id=tile-5 name=Slowest ${place} config{displayType=table sourceId=${sourceId} groupBy=service
      having="n > 1" orderBy="n DESC"
      select[aggFn=max valueExpression=Duration whereLanguage=lucene]}]
    filters[id=f1 type=QUERY_EXPRESSION name=Service expression=service sourceId=${sourceId}]
    savedQuery=level:error savedQueryLanguage=lucene
    savedFilterValues[type=sql condition="service = 'api'"] containers[id=c1 title=First]`),
};

/** A data source as a server of August 2026 answers it, with every member that a source of logs has. */
export const dataSource = recordOf(`id=${sourceId} name=Logs kind=log connection=${idOf('c0c')}
  from{databaseName=default tableName=otel_logs} querySettings[setting=max_threads value="4"]
  defaultTableSelectExpression timestampValueExpression serviceNameExpression severityTextExpression
  bodyExpression eventAttributesExpression resourceAttributesExpression traceIdExpression
  spanIdExpression implicitColumnExpression displayedTimestampValueExpression
  metricSourceId=${idOf('a02')} traceSourceId=${idOf('a03')}`);

/** A webhook. Its address is a secret. */
export const webhookRecord = recordOf(`id=${webhook.webhookId} name="On call" service=slack
  url=https://hooks.slack.example/a-secret description="Wakes people." ${times}`);

export const savedSearch = recordOf(`id=${savedSearchId} name=Errors sourceId=${sourceId}
  teamId=${teamId} select="Timestamp, Body" where=level:error whereLanguage=lucene
  orderBy="Timestamp DESC" tags=["api"] filters[type=sql condition="service = 'api'"] ${times}`);

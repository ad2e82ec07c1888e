/**
 * What the schema leaves out of the public contracts on purpose: all that a list has and neither a row, a type nor an input
 * knows. An entry counts for all that is below it, too.
 */

/** The type or input that knows a schema, and the members that are left out. */
type Known = readonly [type: string, leftOut?: string];

interface LeftOut {
  /** The identifiers of operations, by the reason. */
  readonly operations: Readonly<Record<string, string>>;
  readonly answers: Readonly<Record<string, Known>>;
  readonly bodies: Readonly<Record<string, Known>>;
}

const login = 'source.kafka.credentials';
/** The logins of Kafka and BigQuery have members of other names here. */
const logins = `${login}.accessKeyId ${login}.secretKey ${login}.connectionString ${login}.certificate ${login}.privateKey`;
const command = ['Mutation', 'command'] as const;

export const clickhouseCloud: LeftOut = {
  operations: {
    'a list or another read has it': `activityGet backupGet clickPipeReversePrivateEndpointGet invitationGet memberGet
      openapiKeyGet organizationQuotaGet serviceClickhouseSettingGet activeBalancesGet`,
    'not a part of the tree': `clickPipesServiceContextGet clickPipeSchemaDiscovery
      clickPipeReversePrivateEndpointCreate clickPipeReversePrivateEndpointDelete
      clickPipeReversePrivateEndpointUpdate
      instanceCreate instanceDelete instancePrivateEndpointConfigGet instancePrivateEndpointCreate
      instanceQueryEndpointDelete instanceQueryEndpointGet instanceQueryEndpointUpsert
      organizationPrivateEndpointConfigGetList queryApiEndpointCreate queryApiEndpointDelete queryApiEndpointGet
      queryApiEndpointList queryApiEndpointUpdate scalingScheduleDelete scalingScheduleUpsert
      serviceClickhouseSettingDelete serviceClickhouseSettingsListGet serviceClickhouseSettingsSchemaGet
      serviceClickhouseSettingsUpdate serviceProfilesList snapshotConfigurationGet snapshotConfigurationUpdate
      snapshotGet snapshotGetList upgradeWindowDelete upgradeWindowUpdate backupBucketCreate
      backupBucketDelete backupBucketGet backupBucketUpdate`,
    'administration of people and roles': `invitationCreate invitationDelete memberDelete memberUpdate
      organizationRoleDelete organizationRoleGet organizationRolePatch organizationRolePost organizationRolesGetList
      organizationByocInfrastructureCreate organizationByocInfrastructureDelete organizationByocInfrastructureUpdate`,
    'metrics in text': `instancePrometheusGet organizationPrometheusDiscoveryGet organizationPrometheusGet`,
    'other products': `postgresInstanceConfigGet postgresInstanceConfigPatch postgresInstanceConfigPost
      postgresInstanceCreateReadReplica postgresInstanceMetricsGet postgresInstancePrometheusGet
      postgresInstanceRestore postgresLogsGetList postgresOrgPrometheusGet postgresServiceCertsGet
      postgresServiceCreate postgresServiceDelete postgresServiceGet postgresServiceGetList postgresServicePatch
      postgresServicePatchState postgresServiceSetPassword slowQueryPatternGet slowQueryPatternsGetList
      udfAttach udfAttachmentGet udfAttachmentList udfCreate udfDelete udfDetach udfGet udfList
      udfUploadSessionCreate udfVersionCreate udfVersionDelete udfVersionList`,
  },
  answers: {
    Activity: [
      'Activity',
      'organizationId targetActorIds targetResourceIds targetRoleIds targetRoleNames',
    ],
    ApiKey: ['ApiKey'],
    ApiKeyPostResponse: ['CreateApiKeyPayload'],
    Backup: ['Backup', 'bucket serviceId'],
    BackupConfiguration: ['BackupConfiguration'],
    ClickPipe: ['Pipe'],
    ClickPipeSettings: ['PipeSettings'],
    ClickPipesCdcScaling: ['CdcScaling'],
    CreditBalances: ['CreditBalances'],
    Invitation: ['Invitation', 'role'],
    Member: ['Member', 'role'],
    Organization: ['Organization'],
    OrganizationQuota: ['Quota'],
    ReversePrivateEndpoint: ['ReversePrivateEndpoint', 'customPrivateDnsMappings serviceId'],
    ScalingSchedule: ['ScalingSchedule'],
    Service: ['Service', 'tier'],
    ServicePasswordPatchResponse: ['UpdateServicePasswordPayload'],
    ServiceScalingPatchResponse: ['Service', 'tier'],
    UpgradeWindow: ['UpgradeWindow'],
    UsageCost: ['UsageCost', 'costs.locked'],
  },
  bodies: {
    ApiKeyPatchRequest: ['UpdateApiKeyInput'],
    ApiKeyPostRequest: ['CreateApiKeyInput'],
    BackupConfigurationPatchRequest: ['UpdateBackupConfigurationInput'],
    ClickPipePatchRequest: [
      'UpdatePipeInput',
      `source.validateSamples source.mongodb.tableMappingsToRemove.tableEngine
        source.mysql.tableMappingsToRemove.partitionByExpr
        source.mysql.tableMappingsToRemove.partitionKey
        source.mysql.tableMappingsToRemove.tableEngine
        source.postgres.tableMappingsToRemove.partitionByExpr
        source.postgres.tableMappingsToRemove.partitionKey
        source.postgres.tableMappingsToRemove.tableEngine ${logins}`,
    ],
    ClickPipePostRequest: [
      'CreatePipeInput',
      `source.validateSamples source.bigquery.credentials ${logins}`,
    ],
    ClickPipeScalingPatchRequest: ['ScalePipeInput', 'concurrency'],
    ClickPipeSettingsPutRequest: ['PipeSettingsInput'],
    ClickPipeStatePatchRequest: command,
    ClickPipesCdcScalingPatchRequest: ['UpdateCdcScalingInput'],
    OrganizationPatchRequest: ['UpdateOrganizationInput'],
    ServicePasswordPatchRequest: ['UpdateServicePasswordInput'],
    ServicePatchRequest: ['UpdateServiceInput'],
    ServiceReplicaScalingPatchRequest: ['UpdateServiceScalingInput'],
    ServiceScalingPatchRequest: ['UpdateServiceScalingInput'],
    ServiceStatePatchRequest: command,
  },
};

const channels = `channel.severity channel.slackChannelId channel.webhookService
  channels.severity channels.slackChannelId channels.webhookService`;
const content = `containers savedQuery savedQueryLanguage tiles.config tiles.containerId
  tiles.series.numberFormat tiles.series.sortOrder tiles.tabId`;

export const clickstack: Omit<LeftOut, 'answers'> = {
  operations: {
    'a list has it': 'getSavedSearch getSource',
    'not a part of the tree': `createSavedSearch createSource createWebhook deleteSavedSearch deleteSource
      deleteWebhook updateSavedSearch updateSource updateWebhook`,
    'administration of people and roles': 'createRole deleteRole getRole listRoles updateRole',
  },
  bodies: {
    CreateAlertRequest: ['CreateAlertInput', channels],
    CreateDashboardRequest: ['CreateDashboardInput', `${content} tiles.id`],
    UpdateAlertRequest: ['UpdateAlertInput', channels],
    UpdateDashboardRequest: ['UpdateDashboardInput', `${content} filters savedFilterValues`],
  },
};

/** What records of HyperDX have and the schema does not show, of HyperDX 2.13, and of the list. */
export const hiddenOfHyperdx: readonly {
  readonly record: string;
  readonly schema: string;
  /** The operation in operations/ that shows all that the schema has of it. */
  readonly operation: string;
  readonly earlier?: string;
  readonly later: string;
}[] = [
  {
    record: 'alert',
    schema: 'AlertResponse',
    operation: 'LiveAlerts',
    earlier: 'silenced._id silenced.at silenced.by',
    later: `channel.severity channel.slackChannelId channel.webhookService channels[].severity
      channels[].slackChannelId channels[].webhookService silenced.at silenced.by`,
  },
  {
    record: 'dashboard',
    schema: 'DashboardResponse',
    operation: 'CreateDashboard',
    earlier: 'tiles[].series[].numberFormat tiles[].series[].sortOrder',
    later: `containers savedQuery savedQueryLanguage tiles[].containerId tiles[].tabId
      tiles[].config.alignDateRangeToGranularity tiles[].config.backgroundChart tiles[].config.color
      tiles[].config.colorRules tiles[].config.compareToPreviousPeriod tiles[].config.configType
      tiles[].config.fillNulls tiles[].config.fitYAxisToData tiles[].config.formulas[].numberFormat
      tiles[].config.groupByColumnsOnLeft tiles[].config.having tiles[].config.limit
      tiles[].config.numberFormat tiles[].config.onClick tiles[].config.orderBy tiles[].config.seriesLimit
      tiles[].config.select[].countExpression
      tiles[].config.select[].heatmapScaleType tiles[].config.select[].numberFormat
      tiles[].config.select[].periodAggFn`,
  },
  {
    record: 'data source',
    schema: 'Source',
    operation: 'DataSources',
    later: `bodyExpression defaultTableSelectExpression disabled displayedTimestampValueExpression
      durationExpression durationPrecision eventAttributesExpression filterSettings
      highlightedRowAttributeExpressions highlightedTraceAttributeExpressions implicitColumnExpression
      knownColumnsListExpression logSourceId materializedViews metadataMaterializedViews metricSourceId
      metricTables parentSpanIdExpression querySettings resourceAttributesExpression section
      serviceNameExpression serviceVersionExpression sessionSourceId severityTextExpression
      spanEventsValueExpression spanIdExpression spanKindExpression spanNameExpression
      statusCodeExpression statusMessageExpression timestampValueExpression traceIdExpression
      traceSourceId useTextIndexForImplicitColumn`,
  },
  { record: 'webhook', schema: 'Webhook', operation: 'Webhooks', later: 'body url' },
  {
    record: 'saved search',
    schema: 'SavedSearch',
    operation: 'SavedSearches',
    later: 'filters teamId',
  },
];

/** The entries of a text. */
export const entriesOf = (text = ''): readonly string[] => text.match(/\S+/g) ?? [];

const isBelow = (place: string, entry: string): boolean =>
  place === entry || place.startsWith(`${entry}.`) || place.startsWith(`${entry}[`);

/** The places that no entry covers, and the entries that cover none. */
export const differences = (
  places: readonly string[],
  entries: readonly string[],
): { readonly isNew: readonly string[]; readonly isGone: readonly string[] } => ({
  isNew: [...new Set(places)].filter((place) => !entries.some((entry) => isBelow(place, entry))),
  isGone: entries.filter((entry) => !places.some((place) => isBelow(place, entry))),
});

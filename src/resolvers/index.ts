// Written by `npm run generate`: the exports of this folder that have the names of types.
import type { MutationResolvers, QueryResolvers, Resolvers } from '../generated/schema.ts';
import * as alert from './alert.ts';
import * as caller from './caller.ts';
import * as cdcScaling from './cdc-scaling.ts';
import * as creditBalance from './credit-balance.ts';
import * as dashboard from './dashboard.ts';
import * as dataSource from './data-source.ts';
import * as gateway from './gateway.ts';
import * as inputEnums from './input-enums.ts';
import * as member from './member.ts';
import * as node from './node.ts';
import * as notification from './notification.ts';
import * as organization from './organization.ts';
import * as pipe from './pipe.ts';
import * as pipeSettings from './pipe-settings.ts';
import * as quota from './quota.ts';
import * as reversePrivateEndpoint from './reverse-private-endpoint.ts';
import * as scalingSchedule from './scaling-schedule.ts';
import * as service from './service.ts';
import * as upgradeWindow from './upgrade-window.ts';
import * as usageCost from './usage-cost.ts';

/** Every root field: a root field of the SDL without a resolver does not compile. */
const roots: { Query: Required<QueryResolvers>; Mutation: Required<MutationResolvers> } = {
  Query: {
    ...alert.Query,
    ...caller.Query,
    ...dashboard.Query,
    ...dataSource.Query,
    ...gateway.Query,
    ...node.Query,
    ...organization.Query,
    ...pipe.Query,
    ...service.Query,
  },
  Mutation: {
    ...alert.Mutation,
    ...cdcScaling.Mutation,
    ...dashboard.Mutation,
    ...organization.Mutation,
    ...pipe.Mutation,
    ...service.Mutation,
  },
};

export const resolvers: Resolvers = {
  ...roots,
  Activity: organization.Activity,
  Alert: alert.Alert,
  AlertChannel: alert.AlertChannel,
  AlertExecutionError: alert.AlertExecutionError,
  AlertSourceInput: inputEnums.AlertSourceInput,
  AlertThresholdTypeInput: inputEnums.AlertThresholdTypeInput,
  ApiKey: organization.ApiKey,
  ApiKeyRoleInput: inputEnums.ApiKeyRoleInput,
  ApiKeyStateInput: inputEnums.ApiKeyStateInput,
  Backup: service.Backup,
  Caller: caller.Caller,
  CdcScaling: cdcScaling.CdcScaling,
  CreditBalance: creditBalance.CreditBalance,
  CreditBalances: creditBalance.CreditBalances,
  CurrentScaling: scalingSchedule.CurrentScaling,
  Dashboard: dashboard.Dashboard,
  DashboardMenu: dashboard.DashboardMenu,
  DataSource: dataSource.DataSource,
  Gateway: gateway.Gateway,
  Invitation: organization.Invitation,
  KafkaSource: reversePrivateEndpoint.KafkaSource,
  Notification: notification.Notification,
  Organization: {
    ...creditBalance.Organization,
    ...member.Organization,
    ...notification.Organization,
    ...organization.Organization,
    ...quota.Organization,
    ...usageCost.Organization,
  },
  Pipe: {
    ...pipe.Pipe,
    ...usageCost.Pipe,
  },
  PipeScaling: pipe.PipeScaling,
  PipeSettings: pipeSettings.PipeSettings,
  PipeSourceKind: inputEnums.PipeSourceKind,
  Quota: quota.Quota,
  SavedSearch: dataSource.SavedSearch,
  Service: {
    ...cdcScaling.Service,
    ...reversePrivateEndpoint.Service,
    ...scalingSchedule.Service,
    ...service.Service,
    ...upgradeWindow.Service,
    ...usageCost.Service,
  },
  Tile: dashboard.Tile,
  TileSeries: dashboard.TileSeries,
  UpgradeWindow: upgradeWindow.UpgradeWindow,
  UsageCost: usageCost.UsageCost,
  UsageCostDay: usageCost.UsageCostDay,
  UsageCostEntity: usageCost.UsageCostEntity,
  UsageCostMetrics: usageCost.UsageCostMetrics,
  UsageCostService: usageCost.UsageCostService,
  Webhook: dataSource.Webhook,
};

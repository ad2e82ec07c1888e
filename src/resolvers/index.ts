import type { MutationResolvers, QueryResolvers, Resolvers } from '../generated/schema.ts';
import * as alert from './alert.ts';
import * as dashboard from './dashboard.ts';
import * as dataSource from './data-source.ts';
import * as gateway from './gateway.ts';
import * as node from './node.ts';
import * as organization from './organization.ts';
import * as pipe from './pipe.ts';
import { PipeSettings } from './pipe-settings.ts';
import * as service from './service.ts';
import { Subscription } from './subscription.ts';
import * as usageCost from './usage-cost.ts';
import { inputEnums } from './values.ts';

/** Every root field: a root field of the SDL without a resolver does not compile. */
const roots: { Query: Required<QueryResolvers>; Mutation: Required<MutationResolvers> } = {
  Query: {
    ...node.Query,
    ...gateway.Query,
    ...organization.Query,
    ...service.Query,
    ...pipe.Query,
    ...dashboard.Query,
    ...alert.Query,
    ...dataSource.Query,
  },
  Mutation: {
    ...organization.Mutation,
    ...service.Mutation,
    ...pipe.Mutation,
    ...dashboard.Mutation,
    ...alert.Mutation,
  },
};

export const resolvers: Resolvers = {
  ...inputEnums,
  ...roots,
  Subscription,
  Gateway: gateway.Gateway,
  Organization: { ...organization.Organization, ...usageCost.Organization },
  Invitation: organization.Invitation,
  ApiKey: organization.ApiKey,
  Service: { ...service.Service, ...usageCost.Service },
  Backup: service.Backup,
  Pipe: { ...pipe.Pipe, ...usageCost.Pipe },
  UsageCost: usageCost.UsageCost,
  UsageCostEntity: usageCost.UsageCostEntity,
  UsageCostDay: usageCost.UsageCostDay,
  UsageCostMetrics: usageCost.UsageCostMetrics,
  PipeScaling: pipe.PipeScaling,
  PipeSettings,
  Dashboard: dashboard.Dashboard,
  Tile: dashboard.Tile,
  TileSeries: dashboard.TileSeries,
  Alert: alert.Alert,
  AlertChannel: alert.AlertChannel,
  DataSource: dataSource.DataSource,
  SavedSearch: dataSource.SavedSearch,
};

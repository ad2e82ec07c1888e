import type { MutationResolvers, QueryResolvers, Resolvers } from '../generated/schema.ts';
import { scalars } from '../scalars.ts';
import * as alert from './alert.ts';
import * as dashboard from './dashboard.ts';
import { inputEnums } from './enums.ts';
import { takingStarted } from './look-up.ts';
import * as node from './node.ts';
import * as organization from './organization.ts';
import * as pipe from './pipe.ts';
import { PipeSettings } from './pipe-settings.ts';
import * as service from './service.ts';

/** Every root field: one that the SDL has and no domain resolves does not compile. */
const roots: { Query: Required<QueryResolvers>; Mutation: Required<MutationResolvers> } = {
  Query: {
    ...node.Query,
    ...organization.Query,
    ...service.Query,
    ...pipe.Query,
    ...dashboard.Query,
    ...alert.Query,
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
  ...scalars,
  ...inputEnums,
  ...roots,
  Node: node.Node,
  Organization: takingStarted('Organization', organization.Organization),
  ApiKey: organization.ApiKey,
  Service: takingStarted('Service', service.Service),
  Pipe: takingStarted('Pipe', pipe.Pipe),
  PipeSettings,
  StartPipePayload: pipe.StatePayload,
  StopPipePayload: pipe.StatePayload,
  ResyncPipePayload: pipe.StatePayload,
  Dashboard: takingStarted('Dashboard', dashboard.Dashboard),
  Tile: takingStarted('Tile', dashboard.Tile),
  Alert: takingStarted('Alert', alert.Alert),
};

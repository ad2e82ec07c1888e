import { GraphQLError, type GraphQLResolveInfo, isObjectType } from 'graphql';
import { collectFields } from '../../../src/execution/collect.ts';
import { decodeNodeId, type NodeType } from '../../../src/schema/node-id.ts';

/** The lookups of `naive.ts`: each object is fetched again for every use, by its identifiers. */

// biome-ignore lint/suspicious/noExplicitAny: plain JSON, as it came
export type Json = any;

export interface Context {
  /** A GET: the payload, or a GraphQLError with a code. */
  readonly get: (path: string) => Promise<Json>;
  /** The result of looking up a missing object: an error, or an object without members. */
  readonly missing: 'error' | 'handle';
}

export const failed = (code: string) => new GraphQLError(code, { extensions: { code } });
export const codeOf = (error: unknown) =>
  error instanceof GraphQLError ? error.extensions.code : undefined;

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const token = /^[\w-]{1,128}$/;
const check = (pattern: RegExp, ...ids: readonly string[]): void => {
  if (!ids.every((id) => pattern.test(id))) throw failed('BAD_USER_INPUT');
};

/** Whether only some profiles have the field, as its description says. Without them it fails, and nothing is read. */
export const isOfProfile = (
  field: { readonly description?: string | null | undefined } | undefined,
) =>
  /Beyond\s+the\s+reference:\s+(?:it\s+)?fails\s+with\s+OPERATION_UNAVAILABLE/.test(
    field?.description ?? '',
  );

/** Fields that need no look at the thing itself: what its identifiers hold, and its relations. */
const withoutLooking = {
  Organization: 'id nodeId services serviceCount pipes service invitations',
  Service: 'id nodeId organizationId organization pipes pipe backupConfiguration',
  Pipe: 'id nodeId organizationId serviceId service',
  Dashboard: 'id nodeId alerts',
  Tile: 'id dashboardId dashboard alerts',
  Alert: 'id nodeId',
} as const;

const lookUp = async (
  typeName: keyof typeof withoutLooking,
  ids: Json,
  look: () => Promise<Json>,
  { missing }: Context,
  info: GraphQLResolveInfo,
): Promise<Json> => {
  const type = info.schema.getType(typeName);
  if (!isObjectType(type)) throw new Error(`no type ${typeName}`);
  const enough = new Set(['__typename', ...withoutLooking[typeName].split(' ')]);
  const selectionSets = info.fieldNodes.map(({ selectionSet }) => selectionSet);
  const selected = [...collectFields(type, selectionSets, info).values()];
  const fields = type.getFields();
  const isHandle = selected.every(
    ([{ name }]) => enough.has(name.value) || isOfProfile(fields[name.value]),
  );
  if (isHandle) return { __typename: typeName, ...ids };
  try {
    return { ...(await look()), ...ids, __typename: typeName };
  } catch (error) {
    if (missing === 'handle' && codeOf(error) === 'NOT_FOUND')
      return { __typename: typeName, ...ids };
    throw error;
  }
};

export const organizationPath = (id: string) => `/v1/organizations/${id}`;
export const servicePath = (organizationId: string, id: string) =>
  `${organizationPath(organizationId)}/services/${id}`;

type Find = (context: Context, info: GraphQLResolveInfo, ...ids: string[]) => Promise<Json>;

export const findOrganization: Find = async (context, info, id = '') => {
  check(uuid, id);
  return lookUp('Organization', { id }, () => context.get(organizationPath(id)), context, info);
};

export const findService: Find = async (context, info, organizationId = '', id = '') => {
  check(uuid, organizationId, id);
  const look = () => context.get(servicePath(organizationId, id));
  return lookUp('Service', { id, organizationId }, look, context, info);
};

export const findPipe: Find = async (
  context,
  info,
  organizationId = '',
  serviceId = '',
  id = '',
) => {
  check(uuid, organizationId, serviceId, id);
  const look = () => context.get(`${servicePath(organizationId, serviceId)}/pipes/${id}`);
  return lookUp('Pipe', { id, organizationId, serviceId }, look, context, info);
};

export const findDashboard: Find = async (context, info, id = '') => {
  check(token, id);
  return lookUp('Dashboard', { id }, () => context.get(`/api/v2/dashboards/${id}`), context, info);
};

export const findTile: Find = async (context, info, dashboardId = '', id = '') => {
  check(token, dashboardId);
  const look = async () => {
    const { tiles } = await context.get(`/api/v2/dashboards/${dashboardId}`);
    const tile = tiles?.find((item: Json) => item.id === id);
    if (!tile) throw failed('NOT_FOUND');
    return tile;
  };
  return lookUp('Tile', { id, dashboardId }, look, context, info);
};

export const findAlert: Find = async (context, info, id = '') => {
  check(token, id);
  return lookUp('Alert', { id }, () => context.get(`/api/v2/alerts/${id}`), context, info);
};

const finders: Readonly<Record<NodeType, Find>> = {
  Organization: findOrganization,
  Service: findService,
  Pipe: findPipe,
  Dashboard: findDashboard,
  Alert: findAlert,
};

export const findNode = async (context: Context, info: GraphQLResolveInfo, nodeId: string) => {
  const { type, path } = decodeNodeId(nodeId);
  return finders[type](context, info, ...path);
};

/** A link to a missing object is null. */
export const link = async (found: Promise<Json>): Promise<Json> => {
  try {
    return await found;
  } catch (error) {
    if (codeOf(error) === 'NOT_FOUND' || codeOf(error) === 'BAD_USER_INPUT') return null;
    throw error;
  }
};

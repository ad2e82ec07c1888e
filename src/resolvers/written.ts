import {
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  getNamedType,
  isObjectType,
} from 'graphql';
import type { Alert, ApiKey, Pipe, Service } from '../generated/schema.ts';
import { collectFields } from '../graphql/collect.ts';
import { isObject } from '../is-object.ts';
import { itemOf } from '../loaders/one-or-list.ts';
import type { Context } from '../request/context.ts';
import { readsOf } from '../schema/reads.ts';
import { isUnavailable, notFoundIn, UpstreamError } from '../upstream/error.ts';
import type { ApiKeyRecord } from '../upstream/management/rows/api-key.ts';
import { type InStack, stack } from '../upstream/observability/clickstack.ts';
import type { AlertRecord } from '../upstream/observability/rows/alert.ts';
import type { Ids } from '../upstream/row.ts';
import { selectOf } from './look-ahead.ts';
import type { PipeMapper, ServiceMapper } from './mappers.ts';

type Members = Readonly<Record<string, unknown>> & InStack;

/** For each field that is not made from the record's member of the same name: the members that it is made from. */
type MadeOf<Type, Record> = {
  readonly [Field in keyof Type]?: readonly (keyof Record & string)[];
};

interface Made {
  readonly Service: MadeOf<Service, ServiceMapper>;
  readonly Pipe: MadeOf<Pipe, PipeMapper>;
  readonly Alert: MadeOf<Alert, AlertRecord>;
  readonly ApiKey: MadeOf<ApiKey, ApiKeyRecord>;
}

/** A field that is missing here costs a read after each write, since no record has a member of its name. */
const madeOf: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  Service: { phase: ['state'], availableCommands: ['state'] },
  Pipe: { phase: ['state'], availableCommands: ['state', 'source'] },
  Alert: {
    phase: ['state'],
    silencedUntil: ['silenced'],
    teamId: ['team'],
    savedSearchId: ['savedSearch'],
    dashboardId: ['dashboard'],
    tile: ['dashboard', 'tileId'],
  },
  ApiKey: { expiresAt: ['expireAt'], lastUsedAt: ['usedAt'] },
} satisfies Made;

/** The selected fields of an object, without its identifier. */
const selectedOf = (
  type: GraphQLObjectType,
  nodes: readonly FieldNode[],
  info: GraphQLResolveInfo,
): readonly string[] => {
  const selectionSets = nodes.map(({ selectionSet }) => selectionSet);
  return [...collectFields(type, selectionSets, info).values()]
    .map(([each]) => each.name.value)
    .filter((each) => each !== 'id' && each !== '__typename');
};

/** The members of the record that the selected fields of an object need. */
const neededFor = (
  type: GraphQLObjectType,
  nodes: readonly FieldNode[],
  info: GraphQLResolveInfo,
): readonly string[] => {
  const entity = readsOf(info.schema).entityOf(type.name);
  const fields = entity ? selectOf(entity, nodes, info).ofRecord : selectedOf(type, nodes, info);
  return fields.flatMap((field) => madeOf[type.name]?.[field] ?? [field]);
};

/** The identifiers from an input. An identifier that the input lacks is the object's own, from the answer. */
const idsFrom = (parameters: readonly string[], input: unknown, answer: Members): Ids =>
  Object.fromEntries(
    parameters.map((name) => {
      const value = (isObject(input) && input[name]) || answer.id;
      return [name, typeof value === 'string' ? value : ''];
    }),
  );

/** Reads an entity by its identifiers, and any other object by the read of a field that leads to it or to a list of its type. */
const readObject = async (
  { name: typeName }: GraphQLObjectType,
  input: unknown,
  answer: Members,
  { upstream, loaders }: Context,
  { schema }: GraphQLResolveInfo,
): Promise<object | undefined> => {
  const reads = readsOf(schema);
  const entity = reads.entityOf(typeName);
  if (entity) {
    const ids = { ...idsFrom(entity.parameters, input, answer), ...answer[stack] };
    return loaders(entity)(ids, upstream[entity.read.upstream]);
  }
  const operation = reads.leadingTo(typeName);
  if (!operation) return undefined;
  const { name, upstream: of, parameters, isList } = operation;
  const ids = { ...idsFrom(parameters, input, answer), ...answer[stack] };
  const read = await upstream[of].read(name, ids);
  if (!isList) return read as object;
  const found = itemOf(read as readonly { readonly id: string }[], String(answer.id));
  if (found) return found;
  throw notFoundIn(of, name);
};

/** A copy of the record, where each missing member throws the error. */
const failing = (record: object, missing: readonly string[], error: unknown): object => {
  const failed = { ...record };
  for (const name of new Set(missing)) {
    Object.defineProperty(failed, name, {
      get: () => {
        throw error;
      },
    });
  }
  return failed;
};

/** An error of the read after a write must not look like an error of the write. */
const afterWrite = (error: unknown): unknown =>
  error instanceof UpstreamError
    ? new UpstreamError({ ...error.failure, others: 'The change was carried out.' })
    : error;

/** The data needed to complete the object of a payload. */
interface Payload {
  readonly input: unknown;
  /** The object as it was read before the write, if it was. */
  readonly before: Members | undefined;
  readonly context: Context;
  readonly info: GraphQLResolveInfo;
}

const isGiven = (input: unknown, name: string): boolean =>
  isObject(input) && (input[name] ?? input[`${name}Id`]) !== undefined;

/**
 * The object of a payload with all selected members. If the answer to the write lacks some, the object is read once. A member
 * that `before` lacks too is taken as unset, unless the input gives it. If the read fails, only the missing members fail.
 *
 * @param name the object's member in the payload
 */
export const completed = async (
  name: string,
  answer: unknown,
  nodes: readonly FieldNode[],
  { input, before, context, info }: Payload,
): Promise<unknown> => {
  const payload = getNamedType(info.returnType);
  const field = isObjectType(payload) ? payload.getFields()[name] : undefined;
  const type = field && getNamedType(field.type);
  if (!isObjectType(type) || !isObject(answer)) return answer;
  const needed = neededFor(type, nodes, info);
  const missing = needed.filter(
    (member) =>
      answer[member] === undefined &&
      (before === undefined || before[member] !== undefined || isGiven(input, member)),
  );
  if (missing.length === 0) return answer;

  try {
    return { ...(await readObject(type, input, answer, context, info)), ...answer };
  } catch (error) {
    // The service has no such read, so the answer is all that can be shown.
    if (isUnavailable(error) && missing.length < needed.length) return answer;
    return failing(answer, missing, afterWrite(error));
  }
};

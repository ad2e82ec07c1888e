import { type FieldNode, type GraphQLResolveInfo, getNamedType, isObjectType } from 'graphql';
import type { MutationResolvers } from '../generated/schema.ts';
import { collectFields } from '../graphql/collect.ts';
import { isObject } from '../is-object.ts';
import type { Loaders } from '../loaders/index.ts';
import type { Context } from '../request/context.ts';
import { isUnavailable, notFoundIn, UpstreamError } from '../upstream/error.ts';
import { type EntityType, selectOf } from './look-ahead.ts';

type Members = Readonly<Record<string, unknown>>;

/** An object that payloads hold. */
interface Written {
  /** The type, if it can be found by its identifiers. */
  readonly entity?: EntityType;
  /** The member of an input that names the object; absent if its parent has only one. */
  readonly id?: string;
  /** @param id gives an identifier by its name in an input */
  readonly read: (loaders: Loaders, id: (name: string) => string) => Promise<object>;
}

type MembersOf<Payload> = {
  [Member in keyof Payload]-?: [NonNullable<Payload[Member]>] extends [object] ? Member : never;
}[keyof Payload];

/** The members of payloads that are objects. */
type ObjectName = Exclude<
  {
    [Name in keyof MutationResolvers]-?: MembersOf<
      Awaited<ReturnType<NonNullable<MutationResolvers[Name]>>>
    >;
  }[keyof MutationResolvers],
  'userErrors'
>;

/** The objects of all payloads, by their members there: a payload with another object does not compile. */
const written: Readonly<Record<ObjectName, Written>> = {
  organization: {
    entity: 'Organization',
    id: 'organizationId',
    read: ({ organization }, id) => organization({ organizationId: id('organizationId') }),
  },
  service: {
    entity: 'Service',
    id: 'serviceId',
    read: ({ service }, id) =>
      service({ organizationId: id('organizationId'), serviceId: id('serviceId') }),
  },
  pipe: {
    entity: 'Pipe',
    id: 'pipeId',
    read: ({ pipe }, id) =>
      pipe({
        organizationId: id('organizationId'),
        serviceId: id('serviceId'),
        pipeId: id('pipeId'),
      }),
  },
  dashboard: {
    entity: 'Dashboard',
    id: 'dashboardId',
    read: ({ dashboard }, id) => dashboard({ dashboardId: id('dashboardId') }),
  },
  alert: {
    entity: 'Alert',
    id: 'alertId',
    read: ({ alert }, id) => alert({ alertId: id('alertId') }),
  },
  apiKey: {
    id: 'apiKeyId',
    read: async ({ apiKeys }, id) => {
      const all = await apiKeys({ organizationId: id('organizationId') });
      const found = all.find((key) => key.id === id('apiKeyId'));
      if (found) return found;
      throw notFoundIn('management', 'listApiKeys');
    },
  },
  backupConfiguration: {
    read: ({ backupConfiguration }, id) =>
      backupConfiguration({
        organizationId: id('organizationId'),
        serviceId: id('serviceId'),
      }),
  },
};

const isObjectName = (name: string): name is ObjectName => Object.hasOwn(written, name);

/** The members of the record that the selected fields of an object need. */
const neededFor = (
  name: string,
  { entity }: Written,
  nodes: readonly FieldNode[],
  info: GraphQLResolveInfo,
): readonly string[] => {
  if (entity) return selectOf(entity, nodes, info).members;
  const payload = getNamedType(info.returnType);
  const field = isObjectType(payload) && payload.getFields()[name];
  const type = field ? getNamedType(field.type) : undefined;
  if (!isObjectType(type)) return [];
  const selectionSets = nodes.map(({ selectionSet }) => selectionSet);
  return [...collectFields(type, selectionSets, info).values()]
    .map(([each]) => each.name.value)
    .filter((each) => each !== 'id' && each !== '__typename');
};

/** The record, whose missing members throw the error. */
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

/** What a payload's object needs to be completed. */
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
 * The object of a payload with all selected members. If the answer to the write lacks some, the object is read once. Members
 * that an earlier read lacks are unset, unless the input gives them. If the read fails, only the missing members fail.
 *
 * @param name the object's member in the payload
 */
export const completed = async (
  name: string,
  answer: unknown,
  nodes: readonly FieldNode[],
  { input, before, context, info }: Payload,
): Promise<unknown> => {
  if (!isObjectName(name) || !isObject(answer)) return answer;
  const object = written[name];
  const needed = neededFor(name, object, nodes, info);
  const missing = needed.filter(
    (member) =>
      answer[member] === undefined &&
      (before === undefined || before[member] !== undefined || isGiven(input, member)),
  );
  if (missing.length === 0) return answer;

  const id = (asked: string): string => {
    const value = asked === object.id ? answer.id : isObject(input) && input[asked];
    return typeof value === 'string' ? value : '';
  };
  try {
    return { ...(await object.read(context.loaders, id)), ...answer };
  } catch (error) {
    // Where the object cannot be read at all, the answer is all there is.
    if (isUnavailable(error) && missing.length < needed.length) return answer;
    return failing(answer, missing, afterWrite(error));
  }
};

import type { DocumentNode, ExecutionResult, GraphQLError } from 'graphql';
import { isObject } from '../is-object.ts';
import { type Basis, planIdOf, type Sign } from './plan-id.ts';
import type { JsonObject } from './protocol.ts';
import type { Tool } from './tools.ts';

/** The calls that a change would send, as JSON where they have a body. */
interface Planned {
  readonly reads: readonly string[];
  readonly calls: readonly {
    readonly method: string;
    readonly path: string;
    readonly body: string | null;
  }[];
  readonly changes: readonly {
    readonly path: readonly string[];
    readonly before: string | null;
    readonly after: string | null;
  }[];
}

/** A change that may be carried out. */
export interface Change {
  readonly tool: Tool;
  readonly document: DocumentNode;
  readonly variables: JsonObject;
  /** The thing as it was read. */
  readonly thing: JsonObject;
  readonly basis: Basis;
}

/** What a plan needs of the caller. */
export interface Planning {
  /** Executes a mutation whose writes are only planned. */
  readonly planned: (
    document: DocumentNode,
    variables: JsonObject,
  ) => Promise<{ readonly result: ExecutionResult; readonly plan: Planned }>;
  readonly freshLookup: (document: DocumentNode, variables: JsonObject) => Promise<ExecutionResult>;
  readonly codeOf: (error: GraphQLError) => string | undefined;
  readonly sign: Sign;
}

/** The most items of a list that a plan shows. */
const mostShown = 20;

/** Lists as their lengths and first items. */
const shortened = (value: unknown): unknown => {
  if (Array.isArray(value)) {
    return { count: value.length, items: value.slice(0, mostShown).map(shortened) };
  }
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, shortened(member)]),
  );
};

/** What identifies the thing: of a list of objects only the length. */
const brief = (thing: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(thing).map(([name, member]) => [
      name,
      Array.isArray(member) && member.some(isObject) ? { count: member.length } : member,
    ]),
  );

const textsIn = (value: unknown): readonly string[] => {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
};

/** Of a list of all things of a kind, those that the call names. */
const named = (value: unknown, ids: ReadonlySet<string>): unknown =>
  Array.isArray(value) ? value.filter((item) => isObject(item) && ids.has(String(item.id))) : value;

/** Identifiers in an input, with their names. */
const idsIn = (value: unknown, name = ''): readonly (readonly [name: string, id: string])[] => {
  if (typeof value === 'string') return name.endsWith('Id') ? [[name, value]] : [];
  if (Array.isArray(value)) return value.flatMap((item) => idsIn(item, name));
  return isObject(value)
    ? Object.entries(value).flatMap(([each, member]) => idsIn(member, each))
    : [];
};

/** Identifiers of what a thing is in. They are in none of the lists. */
const ofPlaces: ReadonlySet<string> = new Set(['organizationId', 'serviceId']);

/** The names of identifiers that are in none of the lists where they could be. */
const unknownIn = (
  variables: JsonObject,
  data: JsonObject,
  thing: JsonObject,
): readonly string[] => {
  if (!Object.values(data).some(Array.isArray)) return [];
  const known = new Set(textsIn([data, thing]));
  const given = idsIn(variables).filter(([name]) => !ofPlaces.has(name));
  return [...new Set(given.filter(([, id]) => !known.has(id)).map(([name]) => name))];
};

/** What the change does to other things. */
const affectedBy = async (
  { tool: { effects }, variables, thing }: Change,
  { freshLookup, codeOf }: Planning,
): Promise<JsonObject | undefined> => {
  if (!effects) return undefined;
  const { data, errors = [] } = await freshLookup(effects, variables);
  const ids = new Set(textsIn(variables));
  const found = Object.entries(data ?? {}).map(([name, value]) => [name, named(value, ids)]);
  const told = found.filter(([, value]) => !Array.isArray(value) || value.length > 0);
  const unread = errors.map((error) => `${error.path?.join('.')}: ${codeOf(error)}`);
  const unknownIds = unread.length > 0 ? [] : unknownIn(variables, data ?? {}, thing);
  const affects = {
    ...Object(shortened(Object.fromEntries(told))),
    ...(unread.length > 0 && { unread }),
    ...(unknownIds.length > 0 && { unknownIds }),
  };
  return Object.keys(affects).length > 0 ? affects : undefined;
};

/** A list of people's addresses is told by its length. */
const withoutPeople = (name: string, value: unknown): unknown =>
  name === 'emailRecipients' && Array.isArray(value) ? { count: value.length } : value;

const parsed = (json: string | null, name: string): unknown =>
  json === null ? null : withoutPeople(name, JSON.parse(json, withoutPeople));

/** The things of a list that was read whose name the call gives to another one. */
const namedAlike = ({ variables, basis }: Change): readonly JsonObject[] =>
  Object.values(basis.read)
    .filter(Array.isArray)
    .flat()
    .filter(isObject)
    .filter(({ name }) => name === variables.name)
    .map(({ id, name }) => ({ id, name }))
    .slice(0, mostShown);

/** The body of a call, with the first items of its lists. */
const bodyOf = (json: string | null): unknown =>
  json === null
    ? null
    : JSON.parse(json, (name, value) => {
        if (!Array.isArray(value) || value.length <= mostShown) return withoutPeople(name, value);
        return [...value.slice(0, mostShown), { notShown: value.length - mostShown }];
      });

/** Whether a call only asks what it would do. */
export const isPlanCall = ({ isWrite, needsPlan }: Tool, given: JsonObject): boolean =>
  isWrite && (needsPlan ? (given.planId ?? undefined) === undefined : given.planOnly === true);

const isRefused = ({ data, errors }: ExecutionResult): boolean =>
  errors !== undefined ||
  Object.values(data ?? {}).some(
    (payload) =>
      isObject(payload) && Array.isArray(payload.userErrors) && payload.userErrors.length > 0,
  );

/** Tells what a change would do. A change that is refused is refused here in the same words. */
export const planOf = async (change: Change, planning: Planning): Promise<ExecutionResult> => {
  const { tool, document, variables, thing, basis } = change;
  const { result, plan } = await planning.planned(document, variables);
  if (isRefused(result)) return result;
  const affects = await affectedBy(change, planning);
  const { reads, calls, changes } = plan;
  const sameName = namedAlike(change);
  const isCompared = changes.length > 0 || calls.some(({ method }) => method === 'PUT');
  const how = tool.needsPlan
    ? 'Show this to the user. To carry it out, call again with the same arguments and planId, within 5 minutes.'
    : 'To carry it out, call again without planOnly.';
  return {
    data: {
      plan: {
        ...(Object.keys(thing).length > 0 && { thing: brief(thing) }),
        ...(reads.length > 0 && { reads }),
        sends: calls.map(({ method, path, body }) => ({
          call: `${method} ${path}`,
          // Of an object that was read, the changes are told.
          ...(!isCompared && { body: bodyOf(body) }),
        })),
        ...(isCompared && {
          changes: changes.map(({ path, before, after }) => ({
            path: path.join('.'),
            before: parsed(before, path.at(-1) ?? ''),
            after: parsed(after, path.at(-1) ?? ''),
          })),
        }),
        affects,
        ...(sameName.length > 0 && { sameName }),
        ...(tool.needsPlan && { planId: planIdOf(planning.sign, basis, Date.now()) }),
        note: `Nothing was sent. ${how}`,
      },
    },
  };
};

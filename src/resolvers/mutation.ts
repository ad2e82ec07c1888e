import {
  type FieldNode,
  type GraphQLResolveInfo,
  getNamedType,
  isInputObjectType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { type Refusal, toRefusals } from '../errors/errors.ts';
import { namedMembers } from '../errors/named-member.ts';
import type { MutationResolvers } from '../generated/schema.ts';
import { collectFields } from '../graphql/collect.ts';
import { isObject } from '../is-object.ts';
import { type Context, planning } from '../request/context.ts';
import { readsOf } from '../schema/reads.ts';
import { completed } from './written.ts';

type Field<Name extends keyof MutationResolvers> = NonNullable<MutationResolvers[Name]>;
type Given<Name extends keyof MutationResolvers> = Parameters<Field<Name>>[1]['input'];
type Input<Name extends keyof MutationResolvers> = Omit<Given<Name>, 'dryRun'>;
type Payload<Name extends keyof MutationResolvers> = Awaited<ReturnType<Field<Name>>>;

type Members<Name extends keyof MutationResolvers> = Omit<
  Payload<Name>,
  'userErrors' | 'plan' | '__typename'
>;

/**
 * The payload that a change returns: the changed object, or an error in the place of a member. It has `userErrors` only if
 * a part of the change was refused.
 */
type Outcome<Name extends keyof MutationResolvers> = {
  readonly [Member in keyof Members<Name>]: Members<Name>[Member] | Error;
} & {
  readonly userErrors?: readonly Refusal[];
  /** The object as it was read before the write; not part of the payload. */
  readonly before?: Readonly<Record<string, unknown>>;
};
type Result<Name extends keyof MutationResolvers> = Members<Name> & {
  readonly userErrors: readonly Refusal[];
};

type Change<Name extends keyof MutationResolvers> = (
  input: Input<Name>,
  context: Context,
) => Promise<Outcome<Name>>;

type Resolver<Name extends keyof MutationResolvers> = (
  root: unknown,
  args: { readonly input: Given<Name> & { readonly dryRun?: boolean | null | undefined } },
  context: Context,
  info: GraphQLResolveInfo,
) => Promise<Result<Name>>;

/** The selected nullable members of the payload, each with all nodes that select it, also under aliases. */
const selectedMembers = (info: GraphQLResolveInfo): ReadonlyMap<string, readonly FieldNode[]> => {
  const payload = getNamedType(info.returnType);
  if (!isObjectType(payload)) return new Map();
  const selectionSets = info.fieldNodes.map(({ selectionSet }) => selectionSet);
  const members = new Map<string, readonly FieldNode[]>();
  for (const nodes of collectFields(payload, selectionSets, info).values()) {
    const name = nodes[0].name.value;
    if (name === 'userErrors' || name === '__typename') continue;
    members.set(name, [...(members.get(name) ?? []), ...nodes]);
  }
  return members;
};

const inputTypeOf = ({ parentType, fieldName }: GraphQLResolveInfo) => {
  const [argument] = parentType.getFields()[fieldName]?.args ?? [];
  const type = argument && getNamedType(argument.type);
  return isInputObjectType(type) ? type : undefined;
};

/** The refusals. A refusal in an upstream's words becomes one refusal for each member of the input that it names. */
const withMembers = (
  refusals: readonly Refusal[],
  input: unknown,
  info: GraphQLResolveInfo,
): readonly Refusal[] => {
  const type = inputTypeOf(info);
  if (!type) return refusals;
  return refusals.flatMap((refusal) =>
    refusal.field
      ? refusal
      : namedMembers(refusal.message, type, input).map((named) => ({ ...refusal, ...named })),
  );
};

// Every member of a payload except `userErrors` is nullable, so these members alone are a payload.
const only = <Name extends keyof MutationResolvers>(members: object): Result<Name> =>
  members as Result<Name>;

/**
 * Makes a mutation's resolver from the change itself. Expected failures become `userErrors` (docs/architecture.md). Other
 * failures are top-level errors. They are reported at a nullable field of the payload if one is selected, because an error
 * of the mutation's own non-null field would remove the results of earlier mutations in the same operation, such as the only
 * copy of a new key's secret.
 */
export const mutation =
  <Name extends keyof MutationResolvers>(change: Change<Name>): Resolver<Name> =>
  async (_root, { input: { dryRun, ...input } }, context, info) => {
    const selected = selectedMembers(info);
    try {
      if (dryRun || context.plan) {
        const planned = planning(context, context.plan);
        await change(input, planned);
        return only<Name>({ plan: planned.plan, userErrors: [] });
      }
      const { userErrors = [], before, ...outcome } = await change(input, context);
      const members = Object.entries(outcome).map(async ([name, answer]) => {
        const nodes = selected.get(name);
        const payload = { input, before, context, info };
        return [name, nodes ? await completed(name, answer, nodes, payload) : answer];
      });
      return only<Name>({
        ...Object.fromEntries(await Promise.all(members)),
        userErrors: withMembers(userErrors, input, info),
      });
    } catch (error) {
      const refusals = toRefusals(error);
      if (refusals) return only<Name>({ userErrors: withMembers(refusals, input, info) });
      const [member] = selected.keys();
      if (member === undefined) throw error;
      return only<Name>({ [member]: error, userErrors: [] });
    }
  };

/** Names of lists of differences. An empty list or null changes nothing there, but may clear any other member. */
const ofDifferences = /^(?:add|remove)$|To(?:Add|Remove)$/;

const changesNothing = (value: unknown, name = ''): boolean => {
  if (value === null || Array.isArray(value)) return !value?.length && ofDifferences.test(name);
  if (!isObject(value)) return value === undefined;
  return Object.entries(value).every(([member, inner]) => changesNothing(inner, member));
};

/** Members that permit a change or say where the object is, but are not a change themselves. */
const permissions: readonly string[] = ['mayResetTiles', 'service', 'dryRun'];

/** The refusal of an input that has only identifiers or empty objects. */
const emptyRefusal = (input: object, info: GraphQLResolveInfo): Refusal | undefined => {
  const names = Object.values(inputTypeOf(info)?.getFields() ?? {})
    .filter(({ name, type }) => !isNonNullType(type) && !permissions.includes(name))
    .map(({ name }) => name);
  const given = Object.entries(input).filter(([name]) => names.includes(name));
  if (!given.every(([name, value]) => changesNothing(value, name))) return undefined;
  const [last = '', ...others] = names.toReversed();
  const message = `${others.toReversed().join(', ')} or ${last} must be given, got none.`;
  return { code: 'BAD_USER_INPUT', message, field: names.slice(0, 1) };
};

/** A mutation that changes an object. Refuses an input without any change, since some services would report a success. */
export const update = <Name extends keyof MutationResolvers>(
  change: Change<Name>,
): Resolver<Name> => {
  const resolve = mutation<Name>(change);
  return async (root, args, context, info) => {
    const refusal = emptyRefusal(args.input, info);
    // A mutation that is unavailable with this gateway fails for that reason instead.
    const write = readsOf(info.schema).writeOf(info.fieldName);
    const isThere = write && context.upstream[write.upstream].isInProfile(write.name as never);
    if (refusal && isThere) return only<Name>({ userErrors: [refusal] });
    return resolve(root, args, context, info);
  };
};

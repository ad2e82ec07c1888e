import { type GraphQLResolveInfo, getNamedType, isInputObjectType, isObjectType } from 'graphql';
import { type Refusal, toRefusals } from '../errors/errors.ts';
import { namedMembers } from '../errors/named-member.ts';
import { collectFields } from '../execution/collect.ts';
import type { MutationResolvers } from '../generated/schema.ts';
import type { Context } from '../request/context.ts';

type Field<Name extends keyof MutationResolvers> = NonNullable<MutationResolvers[Name]>;
type Input<Name extends keyof MutationResolvers> = Parameters<Field<Name>>[1]['input'];
type Payload<Name extends keyof MutationResolvers> = Awaited<ReturnType<Field<Name>>>;

/** The payload that a change returns: the changed object, and `userErrors` only if one part of the change was refused. */
type Outcome<Name extends keyof MutationResolvers> = Omit<
  Payload<Name>,
  'userErrors' | '__typename'
> & { readonly userErrors?: readonly Refusal[] };
type Result<Name extends keyof MutationResolvers> = Omit<Outcome<Name>, 'userErrors'> & {
  readonly userErrors: readonly Refusal[];
};

/** The first selected member of the payload that may be null, so that it can have an error. */
const nullableMember = (info: GraphQLResolveInfo): string | undefined => {
  const payload = getNamedType(info.returnType);
  if (!isObjectType(payload)) return undefined;
  const selectionSets = info.fieldNodes.map(({ selectionSet }) => selectionSet);
  return [...collectFields(payload, selectionSets, info).values()]
    .map(([node]) => node.name.value)
    .find((name) => name !== 'userErrors' && name !== '__typename');
};

/** The refusals, with those in an upstream's words apart for each member of the input that they name. */
const withMembers = (
  refusals: readonly Refusal[],
  input: unknown,
  { parentType, fieldName }: GraphQLResolveInfo,
): readonly Refusal[] => {
  const [argument] = parentType.getFields()[fieldName]?.args ?? [];
  const type = argument && getNamedType(argument.type);
  if (!isInputObjectType(type)) return refusals;
  return refusals.flatMap((refusal) =>
    refusal.field
      ? refusal
      : namedMembers(refusal.message, type, input).map((named) => ({ ...refusal, ...named })),
  );
};

/**
 * Makes a mutation's resolver from the change itself. Expected failures become `userErrors` (docs/architecture.md). Other
 * failures are top-level errors. They are reported at a nullable field of the payload if one is selected, because an error
 * of the mutation's own non-null field would remove the results of earlier mutations in the same operation, such as the only
 * copy of a new key's secret.
 */
export const mutation =
  <Name extends keyof MutationResolvers>(
    change: (input: Input<Name>, context: Context) => Promise<Outcome<Name>>,
  ) =>
  async (
    _root: unknown,
    { input }: { readonly input: Input<Name> },
    context: Context,
    info: GraphQLResolveInfo,
  ): Promise<Result<Name>> => {
    // Every member of a payload except `userErrors` is nullable, so these members alone are a payload.
    const only = (members: object): Result<Name> => members as Result<Name>;
    try {
      const { userErrors = [], ...outcome } = await change(input, context);
      return { ...outcome, userErrors: withMembers(userErrors, input, info) };
    } catch (error) {
      const refusals = toRefusals(error);
      if (refusals) return only({ userErrors: withMembers(refusals, input, info) });
      const member = nullableMember(info);
      if (member === undefined) throw error;
      return only({ [member]: error, userErrors: [] });
    } finally {
      context.loaders.forget();
    }
  };

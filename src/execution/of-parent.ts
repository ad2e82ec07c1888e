/** A resolver that looks at its parent, and at nothing else. */
type ResolveOfParent<Parent, Value> = (parent: Parent) => Value;

const known = new WeakSet<object>();

/**
 * Marks a resolver that makes its value of the parent alone. The executor then spares what else it
 * would prepare for it: arguments and info cost more than most such resolvers do.
 */
export const ofParent = <Parent, Value>(
  resolve: ResolveOfParent<Parent, Value>,
): ResolveOfParent<Parent, Value> => {
  known.add(resolve);
  return resolve;
};

/** The resolver, if it was marked. */
export const asOfParent = (resolve: unknown): ResolveOfParent<unknown, unknown> | undefined =>
  typeof resolve === 'function' && known.has(resolve)
    ? (resolve as ResolveOfParent<unknown, unknown>)
    : undefined;

const members = new WeakMap<object, string>();

/**
 * Marks a resolver that gives the parent's member of that name, or throws where it is no object.
 */
export const memberReader = <Parent, Value>(
  name: string,
  resolve: ResolveOfParent<Parent, Value>,
): ResolveOfParent<Parent, Value> => {
  members.set(resolve, name);
  return ofParent(resolve);
};

/**
 * A resolver that gives the parent's member of that name, which is not the field's. For scalars and
 * enums: a member that is an object goes unchecked (see `requireObjects`).
 */
export const member = <Name extends string>(
  name: Name,
  // Written out, since one that is inferred is taken from the first call of a file for all others.
): (<Value>(parent: { readonly [Each in Name]?: Value }) => Value | undefined) =>
  memberReader(name, <Value>(parent: { readonly [Each in Name]?: Value }) => parent[name]);

/** The member that a resolver was marked as giving. */
export const memberOf = (resolve: object): string | undefined => members.get(resolve);

const lookedAt = new WeakMap<object, readonly string[]>();

/**
 * Marks a resolver that looks at those members of its parent, and at nothing else of it: an
 * executor need not make the rest.
 */
export const ofMembers = <
  const Name extends string,
  Parent,
  Rest extends readonly unknown[],
  Value,
>(
  names: readonly Name[],
  resolve: (parent: Pick<Parent, Name & keyof Parent>, ...rest: Rest) => Value,
): ((parent: Parent, ...rest: Rest) => Value) => {
  lookedAt.set(resolve, names);
  return resolve;
};

/** The members that a resolver was marked as looking at. */
export const membersOf = (resolve: object): readonly string[] | undefined => lookedAt.get(resolve);

/**
 * An abstract type's value in the making: of a member of the parent, the first member that is an
 * object.
 */
export interface Variants {
  readonly member: string;
  /** The names of object types, by that member's name. */
  readonly types: Readonly<Record<string, string>>;
}

const variants = new WeakMap<object, Variants>();

/**
 * Marks a resolver of an abstract type which looks at one member of the parent. The value is, of
 * the members listed, the first that is an object in there, with its type; null where the parent's
 * member is. Where there is none, it may be anything.
 */
export const ofVariants = <Parent, Value>(
  { member: name, types }: Variants,
  resolve: ResolveOfParent<Parent, Value>,
): ResolveOfParent<Parent, Value> => {
  variants.set(resolve, { member: name, types });
  return ofParent(resolve);
};

/** The variants that a resolver was marked as choosing from. */
export const variantsOf = (resolve: object): Variants | undefined => variants.get(resolve);

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

/** Marks a resolver that gives the parent's member of that name, or throws where it is no object. */
export const memberReader = <Parent, Value>(
  name: string,
  resolve: ResolveOfParent<Parent, Value>,
): ResolveOfParent<Parent, Value> => {
  members.set(resolve, name);
  return ofParent(resolve);
};

/**
 * A resolver that gives the parent's member of that name, which is not the field's. For scalars and enums: a
 * member that is an object goes unchecked (see `requireObjects`).
 */
export const member = <Name extends string>(
  name: Name,
  // Written out, since one that is inferred is taken from the first call of a file for all others.
): (<Value>(parent: { readonly [Each in Name]?: Value }) => Value | undefined) =>
  memberReader(name, <Value>(parent: { readonly [Each in Name]?: Value }) => parent[name]);

/** The member that a resolver was marked as giving. */
export const memberOf = (resolve: object): string | undefined => members.get(resolve);

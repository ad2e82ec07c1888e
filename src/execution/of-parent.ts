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

const memberReaders = new WeakSet<object>();

/** Marks a resolver that gives the parent's member of the field's name, or throws where it is no object. */
export const memberReader = <Parent, Value>(
  resolve: ResolveOfParent<Parent, Value>,
): ResolveOfParent<Parent, Value> => {
  memberReaders.add(resolve);
  return ofParent(resolve);
};

export const isMemberReader = (resolve: object): boolean => memberReaders.has(resolve);

/** The part of Apollo Client's options for `read` that is used here. */
export interface ReadOptions {
  readonly args: Readonly<Record<string, unknown>> | null;
  readField(name: string, from?: unknown): unknown;
  toReference(object: { readonly __typename: string }): unknown;
}

/**
 * The policy of a field that leads to one object. For each member of that object's key, `key` names the argument (with a `$`)
 * or the sibling field that has the same value. If the cache does not have the field, or its siblings have changed since, the
 * policy returns the object with this key, unless members that the cache has show another object.
 */
export const to =
  (__typename: string, key: Readonly<Record<string, string>>) =>
  (existing: unknown, { args, readField, toReference }: ReadOptions): unknown => {
    const members = Object.entries(key).map(([member, from]): [string, unknown] => [
      member,
      from.startsWith('$') ? args?.[from.slice(1)] : readField(from),
    ]);
    const agrees = (object: unknown): boolean =>
      members.every(([member, value]) => (readField(member, object) ?? value) === value);
    const values = members.map(([, value]) => value);
    if (values.includes(null)) return null;
    if (existing === null || values.includes(undefined)) return existing;
    if (existing !== undefined && agrees(existing)) return existing;
    const reference = toReference({ __typename, ...Object.fromEntries(members) });
    return agrees(reference) ? reference : undefined;
  };

/** Lists are always complete, so a newer list replaces an older one. */
export const list = { merge: false } as const;

/** An object that exists once for each parent and has no key: the results of two queries are merged. */
export const part = { keyFields: false, merge: true } as const;

/** An object in a list, without a unique key. */
export const item = { keyFields: false } as const;

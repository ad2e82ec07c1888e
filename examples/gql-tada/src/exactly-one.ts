type MemberOf<Union> = Union extends unknown ? keyof Union : never;

/**
 * A union of objects of which a value can be only one: the members of the others are forbidden.
 * TypeScript by itself lets a literal have the members of several objects of a union.
 */
export type ExactlyOne<Union, All = Union> = Union extends unknown
  ? Union & { readonly [Other in Exclude<MemberOf<All>, keyof Union>]?: never }
  : never;

type MemberOf<Union> = Union extends unknown ? keyof Union : never;

/**
 * A union of objects of which a value can match only one: the members of the others are forbidden. TypeScript alone allows a
 * literal to have members of several objects of a union.
 */
export type ExactlyOne<Union, All = Union> = Union extends unknown
  ? Union & { readonly [Other in Exclude<MemberOf<All>, keyof Union>]?: never }
  : never;

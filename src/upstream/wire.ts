/**
 * A record as it may really arrive: the document does not say which members are always present, so
 * each may be missing or null.
 */
export type Wire<Members> = {
  readonly [Name in keyof Members]?: Members[Name] | null | undefined;
};

/** A record that the gateway knows the identifier of: read by it, or refused without it. */
export type Identified<Members> = Wire<Members> & { readonly id: string };

/** A record with those identifiers as members that the path it was read by names; see `Operation.place`. */
export type Placed<Found, Name extends string> = Found & { readonly [Each in Name]: string };

import type { Operation, Operations, Rule } from './operation.ts';

/** Members of a record or a body, whatever they hold. */
export type Members = Readonly<Record<string, unknown>>;

/** A function from members to members for some operations, by the operation's name. */
type PerOperation<Table> = { readonly [Name in keyof Table]?: (members: Members) => Members };

/** A rule for the body of some operations, by the operation's name. */
type Rules<Table> = {
  readonly [Name in keyof Table]?: Table[Name] extends Operation<string, infer Body, unknown>
    ? Rule<Body>
    : never;
};

/**
 * What a public service does differently from the reference (docs/architecture.md). Everything that it leaves out is as the
 * reference has it.
 */
export interface Profile<Table = Operations> {
  readonly name: string;
  /** Path templates. They have the parameters of the reference's path. */
  readonly paths?: { readonly [Name in keyof Table]?: string };
  /** Reads that the reference lacks and the service documents: `EXTENDED_READS` does not govern them. */
  readonly documented?: readonly (keyof Table)[];
  /** The lists that come in pages, and the most rows of a page that may be asked for. */
  readonly pageSizes?: { readonly [Name in keyof Table]?: number };
  /** Makes the reference's record out of the service's: a new object, with all that is not known kept. */
  readonly read?: PerOperation<Table>;
  /** Makes the service's body out of the reference's. */
  readonly write?: PerOperation<Table>;
  /** What callers can do where a database service does not run (424): a sentence that names mutations. */
  readonly whenNotRunning?: string;
  /** Rules in the place of the reference's. */
  readonly rules?: Rules<Table>;
}

/** The services that the reference describes. */
export const reference = { name: 'reference' } as const satisfies Profile;

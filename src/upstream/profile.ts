import type { Problem } from './error.ts';
import type { RestInterface } from './interface.ts';
import type { AnyOperation, Operation, Operations, Rule } from './operation.ts';

/** The members of a record or a body, of any type. */
export type Members = Readonly<Record<string, unknown>>;

/** A function from members to members for some operations, by the operation's name. */
type PerOperation<Rows> = { readonly [Name in keyof Rows]?: (members: Members) => Members };

/** A rule for the body of some operations, by the operation's name. */
type Rules<Rows> = {
  readonly [Name in keyof Rows]?: Rows[Name] extends Operation<string, infer Body, unknown>
    ? Rule<Body>
    : never;
};

/** How a public service differs from the reference (docs/architecture.md). All that is left out is as there. */
export interface Profile<Rows = Operations> {
  readonly name: string;
  /** The interface, if it differs from the reference's as a whole. */
  readonly api?: RestInterface;
  /** Path templates, with the parameters of the path in the reference beside those of `RestInterface.below`. */
  readonly paths?: { readonly [Name in keyof Rows]?: string };
  /** Reads that the reference lacks, but the service documents: `EXTENDED_READS` does not switch these off. */
  readonly documented?: readonly (keyof Rows)[];
  /** The lists that come in pages, each with the most rows that a page may have. */
  readonly pageSizes?: { readonly [Name in keyof Rows]?: number };
  /** Converts the service's record to the reference's form: a new object that keeps all unknown members. */
  readonly read?: PerOperation<Rows>;
  /** Converts a body from the reference's form to the service's. */
  readonly write?: PerOperation<Rows>;
  /** What callers can do if a database service is not running (424): a sentence that names mutations. */
  readonly whenNotRunning?: string;
  /** The permission that a credential needs for an operation, where the service documents permissions. */
  readonly permissionOf?: (operation: Pick<AnyOperation, 'permission'>) => string | undefined;
  /**
   * The known values of the interval of an alert, shortest first; absent if none are known. A service may have more.
   */
  readonly alertIntervals?: readonly string[];
  /** A further rule for changes to an alert. It is applied before the alert is read, and again with the alert. */
  readonly alertRule?: (changes: Members, alert?: Members) => readonly Problem[];
  /** Rules in place of the reference's rules. */
  readonly rules?: Rules<Rows>;
}

/** What resolvers see of a profile. */
export type ProfileFacts = Pick<Profile, 'name' | 'alertIntervals' | 'alertRule'>;

/** The default profile. In `src/upstream/`, "the reference" is the documentation of both interfaces, with its rules. */
export const reference = { name: 'reference' } as const satisfies Profile;

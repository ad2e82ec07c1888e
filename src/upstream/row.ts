import type { RestInterface } from './interface.ts';
import type { AnyOperation } from './operation.ts';
import type { PathTemplate } from './path.ts';
import type { Members } from './profile.ts';

/** A row of a file in `rows/`, prepared for one profile. */
export interface Row {
  readonly api: RestInterface;
  readonly name: string;
  readonly operation: AnyOperation;
  readonly path: PathTemplate;
  /** Whether the reference's path has identifiers. */
  readonly takesIds: boolean;
  /** For a write: the paths of the reads that it changes. */
  readonly changes: readonly PathTemplate[];
  /** For a list that comes in pages: the most rows of a page. */
  readonly pageSize?: number | undefined;
  /** The permission that a credential needs, if the service documents it. */
  readonly permission?: string | undefined;
  /** See `Profile.whenNotRunning`. */
  readonly whenNotRunning?: string | undefined;
  /** How the profile converts each record of an answer, and a body. */
  readonly read?: ((record: Members) => Members) | undefined;
  readonly write?: ((body: Members) => Members) | undefined;
  /** For a read: for each write that changes many such reads, the parameters of the read that the write names. */
  readonly changedFrom?: readonly (readonly string[])[] | undefined;
  /** For a read: whether writes without a row may change it, so that each start of its path is one of its names. */
  readonly hasForeignWrites?: boolean | undefined;
  /** Whether it was made for a call of a tool to a path that no row has: such a read is not kept. */
  readonly isForeign?: boolean | undefined;
}

/** The identifiers in a path, by their names in the template. */
export type Ids = Readonly<Record<string, string>>;

import type { RestInterface } from './interface.ts';
import type { AnyOperation } from './operation.ts';
import type { PathTemplate } from './path.ts';

/** A row of an operation table, prepared. */
export interface Row {
  readonly api: RestInterface;
  readonly name: string;
  readonly operation: AnyOperation;
  readonly path: PathTemplate;
}

/** The identifiers in a path, by their names in the template. */
export type Ids = Readonly<Record<string, string>>;

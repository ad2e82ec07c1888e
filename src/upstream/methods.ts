import type { KeptState } from './call.ts';
import type { Identifiers, Operation } from './operation.ts';

type IdentifierArguments<Path extends string> = keyof Identifiers<Path> extends never
  ? []
  : [identifiers: Identifiers<Path>];

/** Forbids members that the body does not have, in objects too that were made by spreading. */
type Exact<Body, Given> = Given & Readonly<Record<Exclude<keyof Given, keyof Body>, never>>;

type MethodOf<Declared> =
  Declared extends Operation<infer Path, infer Body, infer Result>
    ? [Body] extends [undefined]
      ? (...identifiers: IdentifierArguments<Path>) => Promise<Result>
      : <Given extends Body>(
          ...args: [...IdentifierArguments<Path>, body: Exact<Body, Given>]
        ) => Promise<Result>
    : never;

type ReadOf<Declared> =
  Declared extends Operation<infer Path, undefined, infer Result>
    ? { ids: Identifiers<Path>; result: Promise<Result> }
    : never;

/**
 * One method a row, bound to one caller for one request. Every method rejects with an `UpstreamError`, and with
 * nothing else. What a call passes on its way is in `call/`.
 */
export type Client<Table> = { readonly [Name in keyof Table]: MethodOf<Table[Name]> } & {
  /** The name of the profile that it has. */
  readonly profile: string;
  /** The same client, whose reads are sent after all other reads with nothing to show: for parts that may come later. */
  deferred(): Client<Table>;
  /** Throws what the method would reject with on account of its identifiers; sends nothing. */
  check<Name extends keyof Table & string>(
    name: Name,
    identifiers: ReadOf<Table[Name]>['ids'],
  ): void;
  isInProfile(name: keyof Table & string): boolean;
  /** Throws what the method would reject with where the profile does not have it. */
  requireInProfile(name: keyof Table & string): void;
  /** The read of that name, as its method sends it. */
  read<Name extends keyof Table & string>(
    name: Name,
    identifiers: ReadOf<Table[Name]>['ids'],
  ): ReadOf<Table[Name]>['result'];
  /** The read, sent again whatever was read before: for what is to be sent back. Rejects as the method does. */
  fresh<Name extends keyof Table & string>(
    name: Name,
    identifiers: ReadOf<Table[Name]>['ids'],
  ): ReadOf<Table[Name]>['result'];
  /** The read's path: equal for equal reads, whether it can be sent or not. */
  pathOf<Name extends keyof Table & string>(
    name: Name,
    identifiers: ReadOf<Table[Name]>['ids'],
  ): string;
  /** Whether this request already has the read, under way or done. */
  holds<Name extends keyof Table & string>(
    name: Name,
    identifiers: ReadOf<Table[Name]>['ids'],
  ): boolean;
  /** What memory would answer the read with now, for this caller. */
  kept<Name extends keyof Table & string>(
    name: Name,
    identifiers: ReadOf<Table[Name]>['ids'],
  ): KeptState | undefined;
  /**
   * Whether one list is a better use of the caller's calls than that read of one of its items: no call can be sent now,
   * or the read of another item is under way already, for whatever request of the credential.
   */
  isScarce<Name extends keyof Table & string>(
    name: Name,
    identifiers: ReadOf<Table[Name]>['ids'],
  ): boolean;
};

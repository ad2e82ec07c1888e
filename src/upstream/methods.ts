import type { Rate } from './gate/slots.ts';
import type { Identifiers, Operation } from './operation.ts';
import type { Plan } from './plan.ts';
import type { ProfileFacts } from './profile.ts';
import type { KeptState } from './reads/read-call.ts';
import type { Ids } from './row.ts';

type IdentifierArguments<Path extends string> = keyof Identifiers<Path> extends never
  ? []
  : [identifiers: Identifiers<Path>];

/** Forbids members that the body does not have, also in objects made by spreading. */
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

/** Reads by their names and identifiers, which the directives of the schema give: they are checked when the gateway starts. */
export interface AnyReads {
  /** Throws if an identifier is not valid, as the method would reject; sends nothing. */
  check(name: string, ids: Ids): void;
  /** Calls the read of that name. */
  read(name: string, ids: Ids, query?: object): Promise<unknown>;
  /** The path of the read, which is equal for equal reads. The read need not be one that can be sent. */
  pathOf(name: string, ids: Ids): string;
  /** Whether this request already has made the read, or has it under way. */
  holds(name: string, ids: Ids): boolean;
  /**
   * Whether what a list lacks does not exist: the request has read the list, it is whole, and it was sent at that time, in
   * milliseconds of `performance.now()`, or later.
   */
  isWholeSince(name: string, ids: Ids, since: number): Promise<boolean>;
  /** The state of the answer that memory has for this caller; undefined if it has none. */
  kept(name: string, ids: Ids): KeptState | undefined;
  /**
   * Whether reading the list is better than reading one item: no call can be sent now, or a read of another item is
   * already under way for a request with the same credential.
   */
  isScarce(name: string, ids: Ids): boolean;
}

/**
 * One method for each row, bound to one caller for one request. Every method rejects only with an `UpstreamError`.
 */
export type Client<Rows> = { readonly [Name in keyof Rows]: MethodOf<Rows[Name]> } & AnyReads & {
    readonly profile: ProfileFacts;
    /** See `RestInterface.below`. */
    readonly below: readonly string[];
    /** How often a credential may call; undefined if calls are not counted. */
    readonly rate: Rate | undefined;
    /** A client whose reads are sent after all other reads with nothing to show: for deferred parts. */
    deferred(): Client<Rows>;
    /**
     * A client for reads that begin before the fields that need them are resolved: the first field that asks for such a read
     * takes it, and does not count as another.
     */
    early(): Client<Rows>;
    /** A client for the objects below the one with these identifiers, where `below` names them; else the same. */
    within(ids: Ids): Client<Rows>;
    /** A client that reads, and notes its writes in a plan instead of sending them. They answer an empty object. */
    planning(plan: Plan): Client<Rows>;
    isInProfile(name: keyof Rows & string): boolean;
    /**
     * Throws if the profile does not have the operation, as the method would reject.
     *
     * @param members the members of the input that need it, if others do not
     */
    requireInProfile(name: keyof Rows & string, members?: readonly string[]): void;
    /** Sends the read even if memory has an answer: for records that are going to be sent back. Rejects as the method does. */
    fresh<Name extends keyof Rows & string>(
      name: Name,
      identifiers: ReadOf<Rows[Name]>['ids'],
    ): ReadOf<Rows[Name]>['result'];
  };

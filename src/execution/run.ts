import {
  GraphQLError,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getArgumentValues,
  locatedError,
  type ResponsePath,
  responsePathAsArray,
} from 'graphql';
import { enoughErrors, errorSize, ResponseSize, tooLarge } from '../graphql/response-size.ts';
import type { Values, Variables } from '../graphql/variables.ts';
import { isTurnOver, Turns } from '../yield.ts';
import type { FieldPlan, OperationPlan, PlanScope, Result } from './plan.ts';

/** An object or a list of the response. */
type Container = Record<string | number, unknown> | unknown[];

/** A position in the response: its path, which resolvers see, and the object or list with the value. */
export class Place implements ResponsePath {
  readonly prev: Place | undefined;
  readonly key: string | number;
  readonly typename: string | undefined;
  readonly #container: Container;
  readonly #nullable: boolean;

  constructor(
    prev: Place | undefined,
    key: string | number,
    typename: string | undefined,
    container: Container,
    nullable: boolean,
  ) {
    this.prev = prev;
    this.key = key;
    this.typename = typename;
    this.#container = container;
    this.#nullable = nullable;
  }

  get nullable(): boolean {
    return this.#nullable;
  }

  put(value: unknown): void {
    (this.#container as Record<string | number, unknown>)[this.key] = value;
  }
}

/** The position that becomes null through an error at a place; undefined if all data does. */
const nulledBy = (failed: Place): Place | undefined => {
  let place: Place | undefined = failed;
  while (place && !place.nullable) place = place.prev;
  return place;
};

/** Whether a value is a promise of any kind. */
export const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  ((typeof value === 'object' && value !== null) || typeof value === 'function') &&
  typeof (value as { readonly then?: unknown }).then === 'function';

/** The errors of a response, with the positions that became null. */
class FieldErrors {
  readonly list: GraphQLError[] = [];
  readonly #size: ResponseSize;
  /** `undefined` stands for all data. */
  readonly #nulled = new Set<Place | undefined>();

  constructor(size: ResponseSize) {
    this.#size = size;
  }

  /** Whether the response is full and has so many errors that more would only repeat this. */
  get areEnough(): boolean {
    return this.#size.isFull && this.list.length >= enoughErrors;
  }

  /**
   * Records an error, with the position that becomes null. Drops an error at or below a position that is already null,
   * as graphql-js does and the specification allows (section 6.4.4).
   */
  note(error: GraphQLError, nulled: Place | undefined): void {
    if (this.#nulled.has(undefined)) return;
    for (let at = nulled; at; at = at.prev) if (this.#nulled.has(at)) return;
    this.#nulled.add(nulled);
    this.#size.add(errorSize);
    this.list.push(error);
  }
}

const located = (thrown: unknown, plan: FieldPlan, place: Place): GraphQLError =>
  locatedError(thrown, [...plan.nodes], responsePathAsArray(place));

/** What an awaited value counts in the size of the response, in characters. */
const awaitedSize = 600;

interface RunOptions {
  readonly schema: GraphQLSchema;
  readonly plan: OperationPlan;
  readonly variableValues: Variables;
  readonly rootValue?: unknown;
  readonly contextValue?: unknown;
  /** The most characters of the response. */
  readonly maxSize?: number;
  /** The most characters that may describe the schema. */
  readonly introspectionRoom?: () => number;
  readonly turns?: Turns | undefined;
}

/** One execution of one operation: its inputs, its response so far, and the number of awaited values. */
export class Run implements PlanScope {
  readonly schema: GraphQLSchema;
  readonly plan: OperationPlan;
  readonly fragments: OperationPlan['fragments'];
  readonly variableValues: Variables;
  readonly rootValue: unknown;
  readonly contextValue: unknown;
  data: Result | null = null;
  readonly errors: FieldErrors;
  readonly #arguments = new Map<FieldPlan, Values>();
  #pending = 0;
  readonly #size: ResponseSize;
  readonly #introspectionRoom: () => number;
  readonly #turns: Turns;
  /** Whether fields of the schema are being executed. They never await a value. */
  isIntrospecting = false;
  #introspected = 0;
  #onSettled: (() => void) | undefined;

  constructor({
    schema,
    plan,
    variableValues,
    rootValue,
    contextValue,
    maxSize = Infinity,
    introspectionRoom = () => Infinity,
    turns = new Turns(),
  }: RunOptions) {
    this.schema = schema;
    this.plan = plan;
    this.fragments = plan.fragments;
    this.variableValues = variableValues;
    this.rootValue = rootValue;
    this.contextValue = contextValue;
    this.#size = new ResponseSize(maxSize);
    this.errors = new FieldErrors(this.#size);
    this.#introspectionRoom = introspectionRoom;
    this.#turns = turns;
  }

  /** The characters of the response so far. */
  get size(): number {
    return this.#size.characters;
  }

  /** Counts characters of the response. Throws once there are too many, which stops the execution. */
  count(characters: number): void {
    this.#size.count(characters);
    if (!this.isIntrospecting) return;
    this.#introspected += characters;
    const room = this.#introspectionRoom();
    if (this.#introspected > room) throw tooLarge(room, 'about the schema ');
  }

  /** The arguments of a field. They are the same for each of its parents. */
  argumentsOf(plan: FieldPlan): Values {
    const known = this.#arguments.get(plan);
    if (known) return known;
    const { field, node } = plan;
    const values = getArgumentValues(field, node, this.variableValues);
    this.#arguments.set(plan, values);
    return values;
  }

  /** Writes a promised value to its place when it arrives. Returns null, which stands there until then. */
  putLater(
    promise: PromiseLike<unknown>,
    plan: FieldPlan,
    place: Place,
    complete: (arrived: unknown) => unknown,
  ): null {
    try {
      this.count(awaitedSize);
    } catch (tooLarge) {
      // Nobody waits for this promise any more, and a rejection without a listener would end the process.
      void Promise.resolve(promise).catch(() => undefined);
      throw tooLarge;
    }
    this.#pending += 1;
    void this.#later(plan, place, async () => {
      const arrived = await promise;
      if (isTurnOver()) await this.#turns.giveWay();
      place.put(complete(arrived));
    });
    return null;
  }

  /** Whether a list goes on in a later turn of the event loop, so that other requests are served in between. */
  mustGiveWay(): boolean {
    return !this.isIntrospecting && isTurnOver();
  }

  /**
   * Goes on with the value of a place in a later turn. The place already holds the value, as far as it has been made.
   */
  goOnLater(plan: FieldPlan, place: Place, goOn: () => void): void {
    this.#pending += 1;
    void this.#later(plan, place, async () => {
      await this.#turns.giveWay();
      goOn();
    });
  }

  async #later(plan: FieldPlan, place: Place, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (thrown) {
      const nulled = nulledBy(place);
      if (!this.errors.areEnough) this.errors.note(located(thrown, plan, place), nulled);
      if (nulled) nulled.put(null);
      else this.data = null;
    }
    this.#pending -= 1;
    if (this.#pending === 0) this.#onSettled?.();
  }

  /** Resolves when no value is awaited any more; undefined if none is awaited now. */
  settled(): Promise<void> | undefined {
    if (this.#pending === 0) return undefined;
    return new Promise((resolve) => {
      this.#onSettled = resolve;
    });
  }

  /** Makes a failed place null; rethrows the error if the place may not be null. */
  fail(thrown: unknown, plan: FieldPlan, place: Place): null {
    if (this.errors.areEnough && place.nullable) return null;
    const error = located(thrown, plan, place);
    if (!place.nullable) throw error;
    this.errors.note(error, place);
    return null;
  }

  /** Makes all data null. */
  failWhole(thrown: unknown): void {
    const error = thrown instanceof GraphQLError ? thrown : locatedError(thrown, undefined);
    this.errors.note(error, undefined);
    this.data = null;
  }
}

/** What graphql 17 adds to `info`, and no resolver of the gateway uses. */
type Unused = 'getAbortSignal' | 'getAsyncHelpers';

/** The `info` argument of a resolver. */
export const infoOf = (run: Run, plan: FieldPlan, path: Place): GraphQLResolveInfo => {
  const info: Omit<GraphQLResolveInfo, Unused> = {
    fieldName: plan.name,
    fieldNodes: plan.nodes,
    returnType: plan.field.type,
    parentType: plan.parentType,
    path,
    schema: run.schema,
    fragments: run.fragments,
    rootValue: run.rootValue,
    operation: run.plan.operation,
    variableValues: run.variableValues,
  };
  return info as GraphQLResolveInfo;
};

import {
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLSchema,
  locatedError,
  type OperationDefinitionNode,
  OperationTypeNode,
  type ResponsePath,
  responsePathAsArray,
} from 'graphql';
import type { FieldNodes, Scope } from './collect.ts';
import type { FieldPlan } from './field-plan.ts';
import type { Selection } from './selection.ts';
import { Waiting } from './waiting.ts';

/** An operation under one set of conditions (`@skip`, `@include`): what is planned once and run often. */
export interface OperationPlan {
  /** By which it is found again. */
  readonly key: OperationDefinitionNode | string;
  /** Told each time that it has grown; absent where it may not outlive its execution. */
  readonly keep: ((plan: OperationPlan) => void) | undefined;
  readonly operation: OperationDefinitionNode;
  readonly fragments: Readonly<Record<string, FragmentDefinitionNode>>;
  root: Selection | undefined;
  /** How many fields have been planned so far, at all levels. */
  size: number;
}

/** Errors that are told apart. A caller is shown a hundred; see `toGraphQLErrors`. */
const maxLocated = 101;

const unlocated = new GraphQLError('One of more errors than are told apart.');

/**
 * The errors of fields. One at or below a position that an earlier error has made null is left out, as
 * the specification allows (section 6.4.4) and graphql-js does.
 */
class FieldErrors {
  /** Beyond `maxLocated` it holds `unlocated` for each, so that they can be counted. */
  readonly list: GraphQLError[] = [];
  /** How many were met, those included that were left out. */
  met = 0;
  #nulled: Set<ResponsePath | undefined> | undefined;

  /** @param locate makes the error: its place in the document takes time to find, and a list can fail in every row */
  add(locate: () => GraphQLError, path: ResponsePath | undefined): void {
    this.met += 1;
    this.#nulled ??= new Set();
    if (this.#nulled.has(undefined)) return;
    for (let at = path; at !== undefined; at = at.prev) if (this.#nulled.has(at)) return;
    this.#nulled.add(path);
    this.list.push(this.list.length < maxLocated ? locate() : unlocated);
  }
}

/** One execution of one operation. */
export class Run implements Scope {
  readonly schema: GraphQLSchema;
  readonly plan: OperationPlan;
  readonly fragments: OperationPlan['fragments'];
  readonly variableValues: Readonly<Record<string, unknown>>;
  readonly contextValue: unknown;
  /** How often a selection is used before it is projected. */
  readonly projectAfter: number;
  /** See `Execution`. */
  readonly toBePrinted: boolean;
  readonly errors = new FieldErrors();
  readonly waiting = new Waiting(this);
  /** Whether the same object gives the same result again: what a mutation has read may have changed. */
  readonly repeatable: boolean;
  readonly #sizeBefore: number;
  /** Objects that were completed without an error, by the field; see `FieldPlan.meetsAgain`. */
  completed: Map<FieldPlan, Map<unknown, object>> | undefined;

  constructor(
    schema: GraphQLSchema,
    plan: OperationPlan,
    variableValues: Readonly<Record<string, unknown>>,
    contextValue: unknown,
    projectAfter: number,
    toBePrinted: boolean,
  ) {
    this.schema = schema;
    this.plan = plan;
    this.fragments = plan.fragments;
    this.variableValues = variableValues;
    this.contextValue = contextValue;
    this.projectAfter = projectAfter;
    this.toBePrinted = toBePrinted;
    this.#sizeBefore = plan.size;
    this.repeatable = plan.operation.operation === OperationTypeNode.QUERY;
  }

  /** To be called when it comes to its result. */
  conclude(): void {
    if (this.plan.size > this.#sizeBefore) this.plan.keep?.(this.plan);
  }

  /** Notes the error of a field or a list's item, which becomes null; throws it on where it may not. */
  fail(thrown: unknown, nodes: FieldNodes, nullable: boolean, path: ResponsePath): null {
    const locate = () => locatedError(thrown, [...nodes], responsePathAsArray(path));
    if (!nullable) throw locate();
    this.errors.add(locate, path);
    return null;
  }

  /** Notes an error that leaves nothing of the data. */
  failWhole(thrown: unknown): void {
    this.errors.add(
      () => (thrown instanceof GraphQLError ? thrown : locatedError(thrown, undefined)),
      undefined,
    );
  }
}

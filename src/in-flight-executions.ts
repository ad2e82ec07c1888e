import { isDeepStrictEqual } from 'node:util';
import type { ExecutionResult, OperationDefinitionNode } from 'graphql';
import { BriefMap } from './brief-map.ts';
import type { Context } from './context.ts';
import { printOnce } from './execution/print.ts';
import type { Execute } from './executor.ts';
import { isPromise } from './is-promise.ts';
import { SmallMap } from './small.ts';
import type { Credential } from './upstream/call.ts';
import {
  type CancelListener,
  CancellationSource,
  type CancelReason,
} from './upstream/cancellation.ts';
import type { UpstreamCaller } from './upstream/index.ts';

type Executed = ReturnType<Execute>;

/** A query that a request wants executed. */
export interface WantedExecution {
  readonly caller: UpstreamCaller;
  /** One node for all requests with the same text. */
  readonly operation: OperationDefinitionNode;
  /** As they came; those that the operation does not declare make no difference. */
  readonly variables: Readonly<Record<string, unknown>> | null;
  readonly execute: (context: Context) => Executed;
}

export interface InFlightExecutionsOptions {
  /** How many times a write has begun or ended so far. */
  readonly writes: () => number;
  /** @param arrived whose reads the new one's stand back for where they have come to a result */
  readonly createContext: (caller: UpstreamCaller, arrived?: Context) => Context;
}

/**
 * Queries under way, one of which may stand for equal ones of the very same credentials. By itself each would join
 * the reads of the first (see `InFlight`), do the same with what arrives, and come to the same result; so this
 * decides nothing about what is shared, and spares the work. One is joined as long as nothing has arrived for it,
 * and no write of this gateway has begun or ended since it began.
 */
export interface InFlightExecutions {
  /**
   * The result of an equal execution under way, or else of this one, which others may then join. It is given up with
   * the last caller that waits for it; who is out of time before gets what has arrived by then.
   */
  join(wanted: WantedExecution): Executed;
}

/** How many of one credential's executions are looked through, the latest ones: a busy one must not cost more. */
const maxLookedThrough = 64;

const isSame = (one: Credential, other: Credential): boolean =>
  one.kind === 'given'
    ? other.kind === 'given' && one.value === other.value
    : one.kind === 'absent' && other.kind === 'absent';

const variableOf = (variables: WantedExecution['variables'], name: string): unknown =>
  variables && Object.hasOwn(variables, name) ? variables[name] : undefined;

/** Whether two executions of one operation have the same variables; JSON knows no undefined. */
const haveSameVariables = (one: WantedExecution, other: WantedExecution): boolean =>
  (one.operation.variableDefinitions ?? []).every(({ variable: { name } }) =>
    isDeepStrictEqual(
      variableOf(one.variables, name.value),
      variableOf(other.variables, name.value),
    ),
  );

/** A request that waits for an execution, be it the one that began it. */
class Participant implements CancelListener {
  readonly result: Promise<ExecutionResult>;
  readonly #shared: SharedExecution;
  readonly #wanted: WantedExecution;
  readonly #goAlone: () => Executed;
  #settle: { resolve(result: Executed): void; reject(error: unknown): void } | undefined;

  /** @param goAlone executes it by itself */
  constructor(shared: SharedExecution, wanted: WantedExecution, goAlone: () => Executed) {
    this.#shared = shared;
    this.#wanted = wanted;
    this.#goAlone = goAlone;
    this.result = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    wanted.caller.cancellation.listen(this);
  }

  take(result: ExecutionResult): void {
    this.#wanted.caller.cancellation.ignore(this);
    this.#settle?.resolve(result);
  }

  fail(error: unknown): void {
    this.#wanted.caller.cancellation.ignore(this);
    this.#settle?.reject(error);
  }

  cancelled(reason: CancelReason): void {
    if (!this.#shared.leave(this, reason)) return;
    try {
      this.#settle?.resolve(this.#goAlone());
    } catch (error) {
      this.#settle?.reject(error);
    }
  }
}

/** An execution that several requests may wait for. Given up when the last of them has left. */
class SharedExecution extends CancellationSource {
  readonly #options: InFlightExecutionsOptions;
  readonly #context: Context;
  readonly #wanted: WantedExecution;
  readonly #writes: number;
  readonly #participants = new SmallMap<Participant, true>();
  #neighbours: Neighbours | undefined;

  constructor(wanted: WantedExecution, options: InFlightExecutionsOptions) {
    super();
    this.#options = options;
    this.#wanted = wanted;
    this.#writes = options.writes();
    this.#context = options.createContext({ ...wanted.caller, cancellation: this });
  }

  /** Gives what is there at once; else lets others find it until it has ended. */
  begin(neighbours: () => Neighbours): Executed {
    const result = this.#wanted.execute(this.#context);
    if (!isPromise(result)) return result;
    this.#neighbours = neighbours();
    this.#neighbours.add(this);
    result.then(
      (arrived) => this.#end(arrived),
      (error: unknown) => {
        for (const participant of this.#dissolve()) participant.fail(error);
      },
    );
    return this.take(this.#wanted);
  }

  mayBeJoinedBy(other: WantedExecution): boolean {
    const { caller, operation } = this.#wanted;
    return (
      operation === other.operation &&
      this.#writes === this.#options.writes() &&
      !caller.arrivals.any &&
      isSame(caller.credentials.management, other.caller.credentials.management) &&
      isSame(caller.credentials.observability, other.caller.credentials.observability) &&
      haveSameVariables(this.#wanted, other)
    );
  }

  /** Has a request take part. */
  take(wanted: WantedExecution): Promise<ExecutionResult> {
    const { createContext } = this.#options;
    // Whoever is out of time gets what has arrived, and errors for the rest.
    const goAlone = () => wanted.execute(createContext(wanted.caller, this.#context));
    const participant = new Participant(this, wanted, goAlone);
    this.#participants.set(participant, true);
    return participant.result;
  }

  /** Gives whether others still wait. The last one stays to be told how it ends. */
  leave(participant: Participant, reason: CancelReason): boolean {
    if (this.#participants.size > 1) return this.#participants.delete(participant);
    this.#hide();
    this.cancel(reason);
    return false;
  }

  #end(result: ExecutionResult): void {
    const participants = this.#dissolve();
    if (participants.length > 1) printOnce(result);
    for (const participant of participants) participant.take(result);
  }

  #dissolve(): readonly Participant[] {
    this.#hide();
    const participants = this.#participants.keys();
    this.#participants.clear();
    return participants;
  }

  #hide(): void {
    this.#neighbours?.remove(this);
    this.#neighbours = undefined;
  }
}

/** The executions under way of one credential. */
class Neighbours {
  readonly #executions: SharedExecution[] = [];
  readonly #onEmpty: () => void;

  constructor(onEmpty: () => void) {
    this.#onEmpty = onEmpty;
  }

  add(execution: SharedExecution): void {
    this.#executions.push(execution);
  }

  remove(execution: SharedExecution): void {
    this.#executions.splice(this.#executions.indexOf(execution), 1);
    if (this.#executions.length === 0) this.#onEmpty();
  }

  find(wanted: WantedExecution): SharedExecution | undefined {
    const executions = this.#executions;
    const last = Math.max(0, executions.length - maxLookedThrough);
    for (let index = executions.length - 1; index >= last; index -= 1) {
      if (executions[index]?.mayBeJoinedBy(wanted)) return executions[index];
    }
    return undefined;
  }
}

export const createInFlightExecutions = (
  options: InFlightExecutionsOptions,
): InFlightExecutions => {
  const byCredential = new BriefMap<string, Neighbours>();

  const neighboursOf = (credential: string): Neighbours => {
    const found = byCredential.get(credential);
    if (found) return found;
    const made = new Neighbours(() => byCredential.delete(credential));
    byCredential.set(credential, made);
    return made;
  };

  return {
    join: (wanted) => {
      const { caller, execute } = wanted;
      const { management, observability } = caller.credentials;
      // The other one is compared as well; a request without any reads nothing.
      const credential = management.kind === 'given' ? management : observability;
      if (caller.cancellation.reason || credential.kind !== 'given') {
        return execute(options.createContext(caller));
      }
      const { value } = credential;
      const underWay = byCredential.get(value)?.find(wanted);
      if (underWay) return underWay.take(wanted);
      return new SharedExecution(wanted, options).begin(() => neighboursOf(value));
    },
  };
};

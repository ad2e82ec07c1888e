import { isDeepStrictEqual } from 'node:util';
import type { ExecutionResult, OperationDefinitionNode } from 'graphql';
import { BriefMap } from './brief-map.ts';
import { printOnce } from './execution/print.ts';
import type { Execute } from './executor.ts';
import { isPromise } from './is-promise.ts';
import type { Credential } from './upstream/call.ts';
import type { CancelListener, Cancellation } from './upstream/cancellation.ts';
import type { UpstreamCaller } from './upstream/index.ts';

type Executed = ReturnType<Execute>;

/** A query that a request wants executed. */
export interface WantedExecution {
  readonly caller: UpstreamCaller;
  /** One node for all requests with the same text. */
  readonly operation: OperationDefinitionNode;
  /** As they came; those that the operation does not declare make no difference. */
  readonly variables: Readonly<Record<string, unknown>> | null;
  readonly execute: () => Executed;
}

/**
 * Queries under way, one of which may stand for an equal one of the very same credentials. By itself the second would
 * join each read of the first (see `InFlight`), do the same with what arrives, and come to the same result; so this
 * decides nothing about what is shared, and spares the work. It holds as long as nothing has arrived for the first,
 * and no write of this gateway has begun or ended since it began.
 */
export interface InFlightExecutions {
  /**
   * The result of an equal execution under way, or else of this one, which others may then join. Once the caller
   * of either has gone or is out of time, who had joined is executed after all.
   */
  join(wanted: WantedExecution): Executed;
}

/** How many of one credential's executions are looked through, the latest ones: a busy one must not cost more. */
const maxLookedThrough = 64;

/** A request that waits for another's execution. */
class Follower implements CancelListener {
  readonly #leader: Leader;
  readonly #cancellation: Cancellation;
  readonly #resolve: (result: Executed) => void;
  readonly #goOn: () => Executed;

  constructor(
    leader: Leader,
    cancellation: Cancellation,
    resolve: (result: Executed) => void,
    goOn: () => Executed,
  ) {
    this.#leader = leader;
    this.#cancellation = cancellation;
    this.#resolve = resolve;
    this.#goOn = goOn;
    cancellation.listen(this);
  }

  take(result: ExecutionResult): void {
    this.#cancellation.ignore(this);
    this.#resolve(result);
  }

  goOn(): void {
    this.#cancellation.ignore(this);
    this.#resolve(this.#goOn());
  }

  cancelled(): void {
    this.#leader.drop(this);
    this.goOn();
  }
}

const nobody: readonly Follower[] = [];

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

/** An execution that others may join. */
class Leader implements CancelListener {
  readonly #wanted: WantedExecution;
  readonly #writes: number;
  #neighbours: Neighbours | undefined;
  #followers: Follower[] | undefined;

  constructor(wanted: WantedExecution, writes: number) {
    this.#wanted = wanted;
    this.#writes = writes;
    wanted.caller.cancellation.first = this;
  }

  /** Lets others find it. */
  enter(neighbours: Neighbours): void {
    this.#neighbours = neighbours;
    neighbours.add(this);
  }

  mayBeJoinedBy(other: WantedExecution, writes: number): boolean {
    const { caller, operation } = this.#wanted;
    return (
      operation === other.operation &&
      this.#writes === writes &&
      !caller.arrivals.any &&
      isSame(caller.credentials.management, other.caller.credentials.management) &&
      isSame(caller.credentials.observability, other.caller.credentials.observability) &&
      haveSameVariables(this.#wanted, other)
    );
  }

  follow(cancellation: Cancellation, goOn: () => Executed): Promise<ExecutionResult> {
    return new Promise((resolve) => {
      this.#followers ??= [];
      this.#followers.push(new Follower(this, cancellation, resolve, goOn));
    });
  }

  drop(follower: Follower): void {
    this.#followers = this.#followers?.filter((each) => each !== follower);
  }

  end(result: ExecutionResult): ExecutionResult {
    const followers = this.#dissolve();
    if (followers.length > 0) printOnce(result);
    for (const follower of followers) follower.take(result);
    return result;
  }

  /** Its reads have not heard of it yet, so that its followers still find those under way. */
  cancelled(): void {
    for (const follower of this.#dissolve()) follower.goOn();
  }

  #dissolve(): readonly Follower[] {
    const followers = this.#followers ?? nobody;
    this.#followers = undefined;
    this.#wanted.caller.cancellation.first = undefined;
    this.#neighbours?.remove(this);
    this.#neighbours = undefined;
    return followers;
  }
}

/** The executions under way of one credential. */
class Neighbours {
  readonly #leaders: Leader[] = [];
  readonly #onEmpty: () => void;

  constructor(onEmpty: () => void) {
    this.#onEmpty = onEmpty;
  }

  add(leader: Leader): void {
    this.#leaders.push(leader);
  }

  remove(leader: Leader): void {
    this.#leaders.splice(this.#leaders.indexOf(leader), 1);
    if (this.#leaders.length === 0) this.#onEmpty();
  }

  find(wanted: WantedExecution, writes: number): Leader | undefined {
    const leaders = this.#leaders;
    const last = Math.max(0, leaders.length - maxLookedThrough);
    for (let index = leaders.length - 1; index >= last; index -= 1) {
      if (leaders[index]?.mayBeJoinedBy(wanted, writes)) return leaders[index];
    }
    return undefined;
  }
}

/** @param writes how many times a write has begun or ended so far */
export const createInFlightExecutions = (writes: () => number): InFlightExecutions => {
  const byCredential = new BriefMap<string, Neighbours>();

  const neighboursOf = (credential: string): Neighbours => {
    const found = byCredential.get(credential);
    if (found) return found;
    const made = new Neighbours(() => byCredential.delete(credential));
    byCredential.set(credential, made);
    return made;
  };

  const join = (wanted: WantedExecution): Executed => {
    const { caller, execute } = wanted;
    const { management, observability } = caller.credentials;
    if (caller.cancellation.reason) return execute();
    // The other one is compared as well; a request without any reads nothing.
    const credential = management.kind === 'given' ? management : observability;
    if (credential.kind !== 'given') return execute();
    const now = writes();
    const underWay = byCredential.get(credential.value)?.find(wanted, now);
    if (underWay) return underWay.follow(caller.cancellation, () => join(wanted));
    const leader = new Leader(wanted, now);
    const result = execute();
    if (!isPromise(result)) return leader.end(result);
    leader.enter(neighboursOf(credential.value));
    return result.then((arrived) => leader.end(arrived));
  };

  return { join };
};

/** Counts upstream calls, and bounds them in all and at a time. */
export interface CallBudget {
  /** Whether one more call may be made; counts it. */
  take(): boolean;
  /** Takes back the count of a call that was not sent after all. */
  refund(): void;
  /** Begins a call if another may be under way. */
  tryBegin(): boolean;
  /** Begins a call as soon as another may be under way; false where the signal was aborted first. */
  begin(signal: AbortSignal): Promise<boolean>;
  /** Ends a call that has begun. */
  end(): void;
}

/** For calls that are made for nobody in particular. */
export const unbounded: CallBudget = {
  take: () => true,
  refund: () => undefined,
  tryBegin: () => true,
  begin: async () => true,
  end: () => undefined,
};

/** What one operation may ask of the upstreams. */
export interface OperationBudget extends CallBudget {
  /** How many calls were made so far. */
  readonly taken: number;
  /** Counts an answer that has arrived; false where all answers so far are longer than they may be. */
  receive(bytes: number): boolean;
  /** Whether the answers so far are longer than they may be: no further one could be used. */
  readonly isFull: boolean;
}

export interface BudgetOptions {
  readonly maxUpstreamCalls: number;
  readonly maxParallelCalls: number;
  readonly maxUpstreamBytes: number;
}

class Budget implements OperationBudget {
  taken = 0;
  readonly #options: BudgetOptions;
  readonly #waiting = new Set<() => void>();
  #bytes = 0;
  #underWay = 0;

  constructor(options: BudgetOptions) {
    this.#options = options;
  }

  take(): boolean {
    if (this.taken >= this.#options.maxUpstreamCalls) return false;
    this.taken += 1;
    return true;
  }

  refund(): void {
    this.taken -= 1;
  }

  tryBegin(): boolean {
    if (this.#underWay >= this.#options.maxParallelCalls) return false;
    this.#underWay += 1;
    return true;
  }

  begin(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false);
    if (this.tryBegin()) return Promise.resolve(true);
    return new Promise((resolve) => {
      const go = (): void => {
        signal.removeEventListener('abort', leave);
        this.#underWay += 1;
        resolve(true);
      };
      const leave = (): void => {
        this.#waiting.delete(go);
        resolve(false);
      };
      this.#waiting.add(go);
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  end(): void {
    this.#underWay -= 1;
    const [next] = this.#waiting;
    if (!next) return;
    this.#waiting.delete(next);
    next();
  }

  get isFull(): boolean {
    return this.#bytes > this.#options.maxUpstreamBytes;
  }

  receive(bytes: number): boolean {
    this.#bytes += bytes;
    return !this.isFull;
  }
}

export const createBudget = (options: BudgetOptions): OperationBudget => new Budget(options);

/**
 * What a shared read counts on: the budgets of all who share it. Nobody is worse off for sharing: the read is sent
 * when one of them may have another call under way, and counts for one that may make another call.
 */
export interface SharedBudget extends CallBudget {
  add(member: CallBudget): void;
  /** Whether it was asked for a call when nobody who shared it might make one: nobody else may join then. */
  readonly isSpent: boolean;
}

class MembersBudget implements SharedBudget {
  isSpent = false;
  readonly #members: CallBudget[] = [];
  #payer: CallBudget | undefined;
  /** On whose account the read is under way. */
  #holder: CallBudget | undefined;
  /** Asks another member, while the read waits to begin. */
  #ask: ((member: CallBudget) => Promise<void>) | undefined;

  add(member: CallBudget): void {
    this.#members.push(member);
    void this.#ask?.(member);
  }

  take(): boolean {
    this.#payer = this.#members.find((member) => member.take());
    this.isSpent = this.#payer === undefined;
    return !this.isSpent;
  }

  refund(): void {
    this.#payer?.refund();
    this.#payer = undefined;
  }

  tryBegin(): boolean {
    this.#holder = this.#members.find((member) => member.tryBegin());
    return this.#holder !== undefined;
  }

  async begin(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false;
    if (this.tryBegin()) return true;
    // Ends with the first member that begins it, or when nobody waits for it any longer.
    const search = new AbortController();
    const stop = (): void => search.abort();
    const stopped = new Promise((resolve) => search.signal.addEventListener('abort', resolve));
    signal.addEventListener('abort', stop, { once: true });
    this.#ask = async (member) => {
      if (!(await member.begin(search.signal))) return;
      if (search.signal.aborted) member.end();
      else {
        this.#holder = member;
        stop();
      }
    };
    for (const member of this.#members) void this.#ask(member);
    await stopped;
    this.#ask = undefined;
    signal.removeEventListener('abort', stop);
    return this.#holder !== undefined;
  }

  end(): void {
    this.#holder?.end();
    this.#holder = undefined;
  }
}

export const createSharedBudget = (): SharedBudget => new MembersBudget();

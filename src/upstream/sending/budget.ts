/** Counts upstream calls, and bounds them. */
export interface CallBudget {
  /** How many more calls may be made. */
  readonly left: number;
  /** Counts one more call. */
  take(): void;
  /** Takes back the count of a call that was not sent after all. */
  refund(): void;
}

/** For calls that count for no operation: those in the background, and those beyond its bound. */
export const unbounded: CallBudget = {
  left: Infinity,
  take: () => undefined,
  refund: () => undefined,
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
  readonly maxUpstreamBytes: number;
}

class Budget implements OperationBudget {
  taken = 0;
  readonly #options: BudgetOptions;
  #bytes = 0;

  constructor(options: BudgetOptions) {
    this.#options = options;
  }

  get left(): number {
    return this.#options.maxUpstreamCalls - this.taken;
  }

  take(): void {
    this.taken += 1;
  }

  refund(): void {
    this.taken -= 1;
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

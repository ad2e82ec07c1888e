/** Counts and limits upstream calls. */
export interface CallBudget {
  /** How many more calls may be made. */
  readonly left: number;
  take(): void;
  /** Gives one call back, since it was not sent after all. */
  refund(): void;
}

/** The calls and bytes that one operation may use. */
export interface OperationBudget extends CallBudget {
  /** How many calls were made so far. */
  readonly taken: number;
  /** Counts the bytes of an answer. Returns false if all answers so far are too large together. */
  receive(bytes: number): boolean;
  /** Whether all answers so far are too large together: then no further answer can be used. */
  readonly isFull: boolean;
}

/** For calls that count for no operation: calls in the background, and calls beyond an operation's budget. */
export const unbounded: OperationBudget = {
  ...{ left: Infinity, taken: 0, isFull: false },
  take: () => undefined,
  refund: () => undefined,
  receive: () => true,
};

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

import type { CallCount } from './call-budget.ts';
import { type Cancellation, CancellationSource } from './cancellation.ts';

/**
 * What a shared read counts on: the budgets of all who share it. Nobody is worse off for sharing: the read is sent
 * when one of them has a place for it, and counts for one that may make another call.
 */
export class SharedBudget implements CallCount {
  readonly #members: CallCount[] = [];
  #payer: CallCount | undefined;
  /** Whose place the read has. */
  #holder: CallCount | undefined;
  /** Asks another member for a place, while the read waits for one. */
  #ask: ((member: CallCount) => void) | undefined;

  add(member: CallCount): void {
    this.#members.push(member);
    this.#ask?.(member);
  }

  take(): boolean {
    this.#payer = this.#members.find((member) => member.take());
    return this.#payer !== undefined;
  }

  refund(): void {
    this.#payer?.refund();
    this.#payer = undefined;
  }

  begin(cancellation: Cancellation): Promise<void> | undefined {
    const waiting = new CancellationSource();
    const found = Promise.withResolvers<void>();
    const stop = (): void => {
      cancellation.ignore(listener);
      this.#ask = undefined;
      // The others are asked no longer.
      waiting.cancel('gone');
      found.resolve();
    };
    const listener = { cancelled: stop };
    const hold = (member: CallCount): void => {
      if (waiting.reason) member.end();
      else {
        this.#holder = member;
        stop();
      }
    };
    this.#ask = (member) => {
      if (waiting.reason) return;
      const turn = member.begin(waiting);
      if (turn) void turn.then(() => hold(member));
      else hold(member);
    };
    for (const member of this.#members) this.#ask?.(member);
    if (this.#holder) return undefined;
    cancellation.listen(listener);
    return found.promise;
  }

  end(): void {
    this.#holder?.end();
    this.#holder = undefined;
  }
}

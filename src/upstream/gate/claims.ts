import type { CallBudget } from '../budget.ts';
import type { UpstreamError } from '../error.ts';
import { isBackground, type Priority, type Urgency } from '../priority.ts';

/** The wait of one request, or of the background, for a call to be sent. */
export interface Claim {
  readonly priority: Priority;
  /** May raise the priority; absent if the priority never changes. */
  readonly urgency?: Urgency | undefined;
  /** When the wait began, in milliseconds of `performance.now()`. */
  readonly since: number;
  /**
   * The latest time at which sending the call is of use, in milliseconds of `performance.now()`. A call that can be
   * sent at once is sent even later.
   */
  readonly latest: number;
  /** The operation for which the call waits. The operations of one credential take turns. */
  readonly operation: object;
  /** Whether a REST tool waits: all tools of a credential take turns as one operation. */
  readonly isOfTool?: boolean | undefined;
  /** Whether a later event shows what this one lacks: then the wait is short if not all reads can come in time. */
  readonly isFollowedUp?: boolean;
  /** The budget that pays for the call if it is sent for this claim. */
  readonly budget: CallBudget;
  /**
   * When the answer that is shown meanwhile was read; undefined if none is shown. The oldest answer is renewed first.
   */
  readonly shownReadAt: number | undefined;
  /** Lets the call wait on in the background after this claim is refused; absent if it must not. */
  want?: ((since: number) => void) | undefined;
  /** Called with the reason why the call is not sent in time. */
  refuse(error: UpstreamError): void;
  /** Called with the time waited, when the call gets its turn, or when the claim is given up before that. */
  onWaited?(milliseconds: number): void;
}

/** All claims on one call. They may change while the call waits. */
export class Claims {
  readonly #claims = new Set<Claim>();
  /** Present while the call waits. */
  #onChange: (() => void) | undefined;
  #waitingSince = 0;

  add(claim: Claim): void {
    this.#claims.add(claim);
    claim.urgency?.onRaise(() => this.#onChange?.());
    this.#onChange?.();
  }

  delete(claim: Claim): void {
    if (!this.#claims.delete(claim) || !this.#onChange) return;
    this.#tellWait(claim);
    this.#onChange();
  }

  get isEmpty(): boolean {
    return this.#claims.size === 0;
  }

  /** Whether no request waits for the call. */
  get areBackground(): boolean {
    for (const { priority } of this.#claims) if (!isBackground(priority)) return false;
    return true;
  }

  /** Whether no request needs the call: all who wait have an older answer to show, or wait in the background. */
  get mayWait(): boolean {
    for (const { priority } of this.#claims) {
      if (priority !== 'refresh' && !isBackground(priority)) return false;
    }
    return true;
  }

  [Symbol.iterator](): IterableIterator<Claim> {
    return this.#claims.values();
  }

  /** A copy of all claims, for code that adds or deletes some while it goes through them. */
  list(): readonly Claim[] {
    return [...this.#claims];
  }

  /** Refuses the refreshes whose time is up; their call may wait on in the background. */
  refuseLateRefreshes(errorOf: () => UpstreamError): void {
    for (const claim of this.list()) {
      if (claim.priority !== 'refresh' || claim.latest > performance.now()) continue;
      this.delete(claim);
      claim.want?.(claim.since);
      claim.refuse(errorOf());
    }
  }

  /**
   * Notes that the call waits, until the returned function is called.
   *
   * @param onChange called whenever a claim is added, raised or removed
   */
  watch(onChange: () => void): () => void {
    this.#onChange = onChange;
    this.#waitingSince = performance.now();
    return () => {
      if (!this.#onChange) return;
      this.#onChange = undefined;
      for (const claim of this.#claims) this.#tellWait(claim);
    };
  }

  /** For a call that is sent again, only the new wait counts. */
  #tellWait(claim: Claim): void {
    claim.onWaited?.(performance.now() - Math.max(claim.since, this.#waitingSince));
  }
}

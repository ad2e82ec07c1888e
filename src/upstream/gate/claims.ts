import type { UpstreamError } from '../error.ts';
import type { CallBudget } from '../sending/budget.ts';

/**
 * Who gets a slot first: writes; reads of which nothing can be shown yet; reads that streams watch, which have a small share;
 * reads of a part of a response that may come later; reads that nobody waits for any longer, and that somebody has wanted lately; reads of
 * which an older answer can be shown; reads that renew what has been shown.
 */
export const priorities = [
  'write',
  'read',
  'poll',
  'deferred',
  'wanted',
  'refresh',
  'renewal',
] as const;
export type Priority = (typeof priorities)[number];

/** Whether no request waits for it. */
export const isBackground = (priority: Priority): boolean =>
  priority === 'poll' || priority === 'wanted' || priority === 'renewal';

/** Whether a read that was asked for by a deferred part is needed before that part as well. */
export class Urgency {
  #isRaised = false;
  readonly #listeners = new Set<() => void>();

  /** The priority of a claim that had that one at first. */
  apply(priority: Priority): Priority {
    return this.#isRaised && priority === 'deferred' ? 'read' : priority;
  }

  raise(): void {
    this.#isRaised = true;
    for (const listener of this.#listeners) listener();
    this.#listeners.clear();
  }

  /** Calls the listener once, when the urgency is raised. */
  onRaise(listener: () => void): void {
    if (!this.#isRaised) this.#listeners.add(listener);
  }
}

/** Somebody who waits for a call to be sent. */
export interface Claim {
  readonly priority: Priority;
  /** What may raise the priority; absent where nothing may. */
  readonly urgency?: Urgency | undefined;
  /** Since when, in milliseconds of `performance.now()`. */
  readonly since: number;
  /** Until when it is worth waiting, in milliseconds of `performance.now()`. What can be sent at once is sent, however late. */
  readonly latest: number;
  /** What it waits on behalf of. The operations of one credential take turns. */
  readonly operation: object;
  /** Whether what is not read in time is told later: then it is not waited for once not all can be read in time. */
  readonly isFollowedUp?: boolean;
  /** What the call counts on if it is sent for this claim. */
  readonly budget: CallBudget;
  /** When the answer was read that is shown meanwhile; undefined where nothing is. The oldest is renewed first. */
  readonly shownReadAt: number | undefined;
  /** Has the call wait on in the background, where this claim is refused; absent where it is not to. */
  want?: ((since: number) => void) | undefined;
  /** Told why the call will not be sent in time. */
  refuse(error: UpstreamError): void;
  /** Told for how long it has waited: when the call has its turn, and when the claim is given up before. */
  onWaited?(milliseconds: number): void;
}

/** All who wait for one call, which may change while it waits. */
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
    return this.list().every(({ priority }) => isBackground(priority));
  }

  /** Whether no request has to wait for the call. */
  get mayWait(): boolean {
    return this.list().every(({ priority }) => priority === 'refresh' || isBackground(priority));
  }

  list(): readonly Claim[] {
    return [...this.#claims];
  }

  /**
   * The call begins to wait, until the returned function is called.
   *
   * @param onChange called whenever a claim has come or gone
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

  /** A call that is sent again waits anew. */
  #tellWait(claim: Claim): void {
    claim.onWaited?.(performance.now() - Math.max(claim.since, this.#waitingSince));
  }
}

import type { ResponsePath } from 'graphql';
import type { Complete } from './complete.ts';
import type { FieldPlan } from './field-plan.ts';
import type { Run } from './run.ts';

/** A place of the answer that may be null, and is until its value has arrived. */
export interface Place {
  readonly plan: FieldPlan;
  /** The field's own, or that of its list's items. */
  readonly complete: Complete;
  readonly path: ResponsePath;
  readonly parent: Record<string | number, unknown> | unknown[];
  readonly key: string | number;
}

/**
 * What an answer still waits for. What may be null never concerns the object or list it stands in,
 * which are complete without it; the answer is once nothing is awaited.
 */
export class Waiting {
  readonly #run: Run;
  readonly #places = new Map<PromiseLike<unknown>, Place[]>();
  #onSettled: (() => void) | undefined;
  /** How many places have ever waited. */
  met = 0;

  constructor(run: Run) {
    this.#run = run;
  }

  /** Completes the promised value at its place. Places that wait for the same promise cost one. */
  forValue(value: PromiseLike<unknown>, place: Place): void {
    this.met += 1;
    const others = this.#places.get(value);
    if (others) {
      others.push(place);
      return;
    }
    const places = [place];
    this.#places.set(value, places);
    Promise.resolve(value).then(
      (arrived) => this.#settle(value, places, (each) => this.#complete(each, arrived)),
      (thrown: unknown) => this.#settle(value, places, (each) => this.#fail(each, thrown)),
    );
  }

  /** Puts what is completed already, but for something within that it cannot do without, at its place. */
  forResult(completed: Promise<unknown>, place: Place): void {
    this.met += 1;
    const places = [place];
    this.#places.set(completed, places);
    completed.then(
      (result) => this.#settle(completed, places, (each) => this.#put(each, result)),
      (thrown: unknown) => this.#settle(completed, places, (each) => this.#fail(each, thrown)),
    );
  }

  /** What is made once nothing is awaited any more; a promise of it where something is now. */
  settled<Made>(make: () => Made): Made | Promise<Made> {
    if (this.#places.size === 0) return make();
    return new Promise((resolve, reject) => {
      // Not assigned as it is written: V8 makes such a function in the old generation, with all that it holds.
      const onSettled = (): void => {
        try {
          resolve(make());
        } catch (error) {
          reject(error);
        }
      };
      this.#onSettled = onSettled;
    });
  }

  #settle(
    promise: PromiseLike<unknown>,
    places: readonly Place[],
    conclude: (place: Place) => void,
  ): void {
    // A place that comes to wait for it while these are concluded is concluded in a turn of its own.
    this.#places.delete(promise);
    for (const place of places) conclude(place);
    if (this.#places.size > 0) return;
    const onSettled = this.#onSettled;
    this.#onSettled = undefined;
    onSettled?.();
  }

  #put({ parent, key }: Place, result: unknown): void {
    (parent as Record<string | number, unknown>)[key] = result;
  }

  #fail({ plan, path }: Place, thrown: unknown): void {
    this.#run.fail(thrown, plan.nodes, true, path);
  }

  #complete(place: Place, value: unknown): void {
    try {
      const completed = place.complete(this.#run, place.plan, place.path, value);
      if (completed instanceof Promise) this.forResult(completed, place);
      else this.#put(place, completed);
    } catch (thrown) {
      this.#fail(place, thrown);
    }
  }
}

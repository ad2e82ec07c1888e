import type { FieldPlan } from './field-plan.ts';
import { createProjection, type Projection } from './projection.ts';
import { createBareResult, type Result } from './result.ts';
import type { Run } from './run.ts';

/** Values that a projection may fail to expect before it is given up: each cost two ways. */
const maxMisses = 100;

/** The fields selected of values of one type. */
export class Selection {
  readonly fields: readonly FieldPlan[];
  readonly #bare: boolean;
  #uses = 0;
  #misses = 0;
  #projection: Projection | undefined;

  constructor(fields: readonly FieldPlan[]) {
    this.fields = fields;
    this.#bare = fields.some(({ key }) => key === '__proto__');
  }

  /**
   * A result that has no member yet: a plain object, which V8 prints fastest, wherever that will
   * do.
   */
  createResult(): Result {
    return this.#bare ? createBareResult() : {};
  }

  /** The projection, if there is one by now. */
  get projection(): Projection | undefined {
    return this.#projection;
  }

  /** The projection, once the selection has been used often enough to be worth one. */
  projectionIn(run: Run): Projection | undefined {
    this.#uses += 1;
    if (this.#uses === run.projectAfter) this.#projection = createProjection(this.fields, run);
    return this.#projection;
  }

  missed(): void {
    this.#misses += 1;
    if (this.#misses > maxMisses) this.#projection = undefined;
  }
}

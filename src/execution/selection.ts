import type { FieldPlan } from './field-plan.ts';
import { createProjection, type Projection } from './projection.ts';
import { createBareResult, type Result } from './result.ts';
import type { Run } from './run.ts';
import { createTranscriber, type Transcriber } from './transcriber.ts';

/** Values that a projection may fail to expect before it is given up: each cost two ways. */
const maxMisses = 100;

/** The fields selected of values of one type. */
export class Selection {
  readonly fields: readonly FieldPlan[];
  readonly #bare: boolean;
  #uses = 0;
  #misses = 0;
  #failures = 0;
  #projection: Projection | undefined;
  #transcriber: Transcriber | undefined;
  /** Until it has turned out otherwise. */
  #isTranscribable = true;

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

  /**
   * What reads the rows of lists without parsing them. As a projection, it comes once it has turned
   * out to be worth it.
   *
   * @param placed see `WrittenList`
   */
  transcriberIn(run: Run, placed: readonly string[]): Transcriber | undefined {
    if (!this.#projection || !this.#isTranscribable) return undefined;
    this.#transcriber ??= createTranscriber(this.fields, run, placed);
    this.#isTranscribable = this.#transcriber !== undefined;
    return this.#transcriber;
  }

  /** Told of a list that the transcriber could not read. */
  notTranscribed(): void {
    this.#failures += 1;
    if (this.#failures <= maxMisses) return;
    this.#isTranscribable = false;
    this.#transcriber = undefined;
  }

  missed(): void {
    this.#misses += 1;
    if (this.#misses > maxMisses) this.#projection = undefined;
  }
}

/**
 * A failed request. Each interface answers it in its own form. `message` is one sentence for the caller and never quotes a
 * value of the request.
 */
export class Refusal extends Error {
  readonly status: number;
  /** The member of the body that breaks a rule, such as `tiles[0].w`. */
  readonly at: string | undefined;

  constructor(status: number, sentence: string, at?: string) {
    super(sentence);
    this.name = 'Refusal';
    this.status = status;
    this.at = at;
  }
}

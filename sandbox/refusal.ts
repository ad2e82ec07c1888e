/** A rule that a member of the body breaks. */
export interface Issue {
  /** The path of the member, such as `tiles[0].w`. */
  readonly at: string;
  readonly rule: string;
}

/**
 * A failed request. Each interface answers it in its own form. `message` is one sentence for the caller and never quotes a
 * value of the request.
 */
export class Refusal extends Error {
  readonly status: number;
  /** Empty if the request is refused for another reason than its members. */
  readonly issues: readonly Issue[];

  constructor(status: number, sentence: string, issues: readonly Issue[] = []) {
    super(sentence);
    this.name = 'Refusal';
    this.status = status;
    this.issues = issues;
  }
}

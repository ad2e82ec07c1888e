/** A part of an answer that is printed already. */
export class JsonText {
  readonly json: string;

  constructor(json: string) {
    this.json = json;
  }

  /** For whoever prints an answer in another way than `printResult`. */
  toJSON(): unknown {
    return JSON.parse(this.json);
  }
}

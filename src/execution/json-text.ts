/** An answer, or a part of one, that is printed already. */
export class JsonText {
  readonly json: string;
  /** Its length in UTF-8. */
  readonly bytes: number;

  constructor(json: string, bytes = Buffer.byteLength(json)) {
    this.json = json;
    this.bytes = bytes;
  }

  /** For whoever prints an answer in another way than `printResult`. */
  toJSON(): unknown {
    return JSON.parse(this.json);
  }
}

/** A part of an answer that is printed already. */
export class JsonText {
  readonly json: string;

  constructor(json: string) {
    this.json = json;
  }
}

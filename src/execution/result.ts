/** An object of the answer. Without a prototype `__proto__` is a key like any other. */
export class Result {
  [key: string]: unknown;
}
Object.setPrototypeOf(Result.prototype, null);

/** The data as a whole. */
export class Root extends Result {
  /** Private, so that it is no member of the data; whoever finishes a result leaves its data as it is. */
  #hasTexts = false;

  /** Notes that texts stand in it, so that printing does not need to look for them. */
  static noteTexts(root: Root): void {
    root.#hasTexts = true;
  }

  /** Whether that was noted of it. */
  static hasTexts(data: object): boolean {
    return #hasTexts in data && data.#hasTexts;
  }
}

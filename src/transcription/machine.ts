import { type EncodedPlan, type Made, type Members, TooLarge } from './encode.ts';
import {
  cellSize,
  inputEnd,
  inputStart,
  outputEnd,
  outputStart,
  planStart,
  slack,
  tapeStart,
} from './memory.ts';
import type { Leaf } from './plan.ts';

/** Members that the gateway puts into each row, whatever the row itself has there. */
export type Placed = Readonly<Record<string, string>>;

/** A list as it is in the answer, but for what stands in its gaps. */
export interface Transcribed {
  /** Behind the list, in the JSON. */
  readonly end: number;
  readonly text: string;
  /** Its length in UTF-8. */
  readonly bytes: number;
  /** Where something is to be put in, in bytes: for each row as many as its fields have gaps. */
  readonly gaps: readonly number[];
  /** Of each row the members that the gaps' fields look at; none where there are no gaps. */
  readonly parents: readonly object[];
}

/** What `assembly/` exports. */
interface Assembly {
  readonly memory: WebAssembly.Memory;
  read(plan: number, start: number): number;
  write(plan: number, to: number): number;
}

const quote = 0x22;
const comma = 0x2c;
const openBracket = 0x5b;
const closeBracket = 0x5d;

/** Thrown where a value is not as expected. */
class Unexpected extends Error {}

/**
 * Whether the list is to be parsed. A trap is none that is known, but no reason to answer worse
 * than without all this.
 */
const meansUnexpected = (error: unknown): boolean =>
  error instanceof Unexpected ||
  error instanceof TooLarge ||
  error instanceof WebAssembly.RuntimeError;

const skipSpace = (json: Buffer, start: number): number => {
  let at = start;
  for (;;) {
    const byte = json[at];
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return at;
    at += 1;
  }
};

/** The machine with its memory, which one transcription uses at a time: none waits for anything. */
export class Machine {
  readonly #assembly: Assembly;
  readonly #memory: Buffer;
  readonly #cells: Int32Array;
  /** Whose plan is in the memory. */
  #encoded: EncodedPlan | undefined;
  #placed: Placed = {};
  #gaps: number[] = [];
  /** What was written before that which is in the memory. */
  #drained = '';
  #drainedBytes = 0;
  #hasLearned = false;
  /** Behind all that may be in there. */
  #inputUsed = inputStart;
  #outputUsed = outputEnd;

  constructor(module: WebAssembly.Module) {
    const host = {
      nameAt: (plan: number, start: number, end: number): number => {
        this.#hasLearned = true;
        return this.#plan.nameAt(plan, this.#memory.toString('utf8', start, end), this.#memory);
      },
      writeLeaf: (leaf: number, start: number, end: number, to: number): number =>
        this.#writeLeaf(this.#plan.leaves[leaf], start, end, to),
      writeMade: (made: number, object: number, to: number): number =>
        this.#writeMade(this.#plan.made[made], object, to),
      gapAt: (to: number): void => {
        this.#gaps.push(this.#drainedBytes + to - outputStart);
      },
    };
    const instance = new WebAssembly.Instance(module, { host });
    // As it is declared in the sources that it is made of.
    this.#assembly = instance.exports as unknown as Assembly;
    this.#memory = Buffer.from(this.#assembly.memory.buffer);
    this.#cells = new Int32Array(this.#assembly.memory.buffer);
  }

  transcribe(
    encoded: EncodedPlan,
    json: Buffer,
    start: number,
    placed: Placed,
  ): Transcribed | undefined {
    if (this.#encoded !== encoded) encoded.bytes.copy(this.#memory, planStart);
    this.#encoded = encoded;
    this.#placed = placed;
    try {
      return this.#rows(encoded, json, start);
    } catch (error) {
      if (meansUnexpected(error)) return undefined;
      throw error;
    } finally {
      if (this.#hasLearned) encoded.learn(this.#memory);
      this.#hasLearned = false;
      this.#forget();
    }
  }

  /** Nothing of an answer stays but the names of members, in the plan. */
  #forget(): void {
    this.#placed = {};
    this.#gaps = [];
    this.#drained = '';
    this.#drainedBytes = 0;
    this.#memory.fill(0, inputStart, this.#inputUsed);
    this.#memory.fill(0, outputStart, this.#outputUsed);
    this.#inputUsed = inputStart;
    this.#outputUsed = outputEnd;
  }

  get #plan(): EncodedPlan {
    if (!this.#encoded) throw new TypeError('No plan is in the memory');
    return this.#encoded;
  }

  #rows(
    { root, idSlot, gapMembers }: EncodedPlan,
    json: Buffer,
    start: number,
  ): Transcribed | undefined {
    const memory = this.#memory;
    const parents: object[] = [];
    let to = outputStart;
    memory[to] = openBracket;
    to += 1;
    let at = skipSpace(json, start + 1);
    // What of the JSON is in the memory.
    let window = at;
    let windowEnd = at;
    while (json[at] !== closeBracket) {
      let end = at < windowEnd ? this.#assembly.read(root, inputStart + at - window) : 0;
      if (end === 0 && windowEnd < json.length) {
        // It may be cut where the window ends.
        window = at;
        windowEnd = this.#load(json, at);
        end = this.#assembly.read(root, inputStart);
      }
      if (end === 0 || !this.#isIdentified(idSlot)) return undefined;
      if (gapMembers.length > 0) parents.push(this.#parentOf(gapMembers, tapeStart));
      to = this.#write(root, to);
      if (to === 0) return undefined;
      at = skipSpace(json, end - inputStart + window);
      if (json[at] === comma) {
        memory[to] = comma;
        to += 1;
        at = skipSpace(json, at + 1);
        if (json[at] === closeBracket) return undefined;
      } else if (json[at] !== closeBracket) return undefined;
    }
    memory[to] = closeBracket;
    return { end: at + 1, ...this.#take(to + 1), gaps: this.#gaps, parents };
  }

  /** Writes the row that was read last; makes room first where there is none. */
  #write(root: number, to: number): number {
    const gaps = this.#gaps.length;
    const end = this.#assembly.write(root, to);
    if (end > 0 || to === outputStart) return end;
    this.#gaps.length = gaps;
    this.#drained += this.#memory.toString('utf8', outputStart, to);
    this.#drainedBytes += to - outputStart;
    return this.#assembly.write(root, outputStart);
  }

  /** All that was written. */
  #take(end: number): Pick<Transcribed, 'text' | 'bytes'> {
    if (this.#drainedBytes === 0) this.#outputUsed = end;
    const text = this.#drained + this.#memory.toString('utf8', outputStart, end);
    return { text, bytes: this.#drainedBytes + end - outputStart };
  }

  /** Puts as much of the JSON into the memory as it takes, and gives where that ends. */
  #load(json: Buffer, start: number): number {
    const end = Math.min(json.length, start + inputEnd - inputStart - slack);
    const length = json.copy(this.#memory, inputStart, start, end);
    this.#memory.fill(0, inputStart + length, inputStart + length + slack);
    this.#inputUsed = Math.max(this.#inputUsed, inputStart + length);
    return end;
  }

  /**
   * Whether the row that was read has an identifier: others are no rows, and what becomes of them
   * is decided elsewhere.
   */
  #isIdentified(slot: number): boolean {
    const cell = (tapeStart + cellSize * slot) / 4;
    const start = this.#cells[cell] ?? 0;
    return this.#memory[start] === quote && (this.#cells[cell + 1] ?? 0) - start > 2;
  }

  /** A string that is written as it is, or any other value. */
  #valueAt(start: number, end: number): unknown {
    const text = this.#memory.toString('utf8', start, end);
    if (text.startsWith('"') && !text.includes('\\')) return text.slice(1, -1);
    return JSON.parse(text);
  }

  #parentOf(members: Members, object: number): object {
    const parent: Record<string, unknown> = {};
    for (const [name, slot] of members) {
      const placed = object === tapeStart ? this.#placed[name] : undefined;
      const cell = (object + cellSize * slot) / 4;
      const end = this.#cells[cell + 1] ?? 0;
      if (placed !== undefined) parent[name] = placed;
      else if (end !== 0) parent[name] = this.#valueAt(this.#cells[cell] ?? 0, end);
    }
    return parent;
  }

  #writeLeaf(leaf: Leaf | undefined, start: number, end: number, to: number): number {
    const value = this.#valueAt(start, end);
    const serialized = serialize(leaf, value);
    // As many bytes as characters: nothing in it is escaped.
    if (serialized === value && typeof value === 'string' && value.length === end - start - 2) {
      if (to + end - start + slack > outputEnd) return 0;
      this.#memory.copyWithin(to, start, end);
      return to + end - start;
    }
    return this.#writeText(print(serialized), to);
  }

  #writeMade(made: Made | undefined, object: number, to: number): number {
    if (!made) throw new TypeError('Nothing is made so');
    const value = attempt(made.make, this.#parentOf(made.members, object));
    if (value !== null && value !== undefined) {
      return this.#writeText(print(serialize(made.leaf, value)), to);
    }
    return made.nullable ? this.#writeText('null', to) : 0;
  }

  #writeText(text: string | undefined, to: number): number {
    if (text === undefined || to + 3 * text.length + slack > outputEnd) return 0;
    return to + this.#memory.write(text, to);
  }
}

/** What a function makes of a value; what it throws, the executor will meet as well, and report. */
const attempt = <Value, Made>(make: (value: Value) => Made, value: Value): Made => {
  try {
    return make(value);
  } catch {
    throw new Unexpected();
  }
};

const serialize = (leaf: Leaf | undefined, value: unknown): unknown => {
  if (!leaf || typeof value === 'object' || typeof value === 'function') throw new Unexpected();
  return attempt(leaf.serialize, value);
};

const print = (value: unknown): string | undefined => attempt(JSON.stringify, value);

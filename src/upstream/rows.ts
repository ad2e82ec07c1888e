import { isUtf8 } from 'node:buffer';
import { type PlacedMembers, WrittenList } from '../written-list.ts';
import { type LocatedRows, locateRows } from './locate-rows.ts';
import { parseObject } from './parse-object.ts';

type Json = Readonly<Record<string, unknown>>;

/** How the rows of one answer are read. */
export interface RowReading {
  /** Reads the whole answer. Throws an `UpstreamError` for one that holds no list. */
  whole(): readonly unknown[];
  /** Whether the answer's body, its rows left out, is one that holds a list. */
  enclosesList(envelope: string): boolean;
  /** Makes a record of a parsed row, as `whole` does. */
  finish(row: Json): void;
  /** The members that `finish` puts into every row; absent where it does more. */
  readonly placed: PlacedMembers | undefined;
}

const openBracket = 0x5b;

/** The rows of a body that holds a list, where they can be found. */
const locate = (body: Buffer, reading: RowReading): LocatedRows | undefined => {
  const located = locateRows(body);
  return located && reading.enclosesList(located.envelope) ? located : undefined;
};

/**
 * A list as it arrived. It is parsed when it is first asked for; where a few of its rows are wanted and the
 * body lets them be found, they alone are, and what is wrong with other rows does not show. `Row` is taken on
 * trust, as all records are.
 */
export class Rows<Row extends { readonly id: string }> extends WrittenList {
  /** Until the whole has been read. */
  #unread: { readonly body: Buffer; readonly reading: RowReading } | undefined;
  #located: LocatedRows | undefined;
  readonly #found = new Map<string, Row>();
  #hasFoundAll = false;
  #all: readonly Row[] | undefined;
  #error: unknown;

  constructor(body: Buffer, reading: RowReading) {
    super();
    this.#unread = { body, reading };
  }

  override get placed(): PlacedMembers | undefined {
    return this.#unread?.reading.placed;
  }

  override readWritten<Made extends { readonly end: number }>(
    make: (json: Buffer, start: number) => Made | undefined,
  ): Made | undefined {
    if (!this.#unread) return undefined;
    const { body, reading } = this.#unread;
    const start = body.indexOf(openBracket);
    if (start < 0 || !isUtf8(body)) return undefined;
    const made = make(body, start);
    // With another list beside it, the envelope would not tell which of them it encloses.
    if (!made || body.includes(openBracket, made.end)) return undefined;
    const envelope = body.toString('utf8', 0, start + 1) + body.toString('utf8', made.end - 1);
    return reading.enclosesList(envelope) ? made : undefined;
  }

  /** All rows that have an identifier. Throws an `UpstreamError` where the answer holds no list: the same each time. */
  all(): readonly Row[] {
    if (this.#all) return this.#all;
    const unread = this.#unread;
    if (!unread) throw this.#error;
    this.#unread = undefined;
    this.#located = undefined;
    try {
      this.#all = unread.reading.whole() as readonly Row[];
    } catch (error) {
      this.#error = error;
      throw error;
    }
    return this.#all;
  }

  /** Those rows, and perhaps more, by their identifiers; the list may lack some. Throws as `all` does. */
  pick(ids: readonly string[]): ReadonlyMap<string, Row> {
    if (!this.#pickLocated(ids)) this.#findAll();
    return this.#found;
  }

  #findAll(): void {
    if (this.#hasFoundAll) return;
    for (const row of this.all()) this.#found.set(row.id, row);
    this.#hasFoundAll = true;
  }

  /** Makes records of those rows by themselves; gives whether that could be done for all. */
  #pickLocated(ids: readonly string[]): boolean {
    if (!this.#unread) return false;
    const { body, reading } = this.#unread;
    this.#located ??= locate(body, reading);
    const spans = this.#located?.spans;
    // One by one rows take longer to parse than in a list.
    if (!spans || ids.length > spans.size / 2) return false;
    return ids.every((id) => {
      if (this.#found.has(id)) return true;
      const span = spans.get(id);
      // It may be written in another form, or stand next to what is no row.
      if (!span) return false;
      const row = parseObject(body.toString('utf8', ...span));
      if (row?.id !== id) return false;
      reading.finish(row);
      this.#found.set(id, row as unknown as Row);
      return true;
    });
  }
}

import type { Transcribed } from '../transcription/machine.ts';
import { createUuid } from '../uuid.ts';
import type { Result } from './result.ts';

/** JSON as it leaves. */
export interface Printed {
  readonly json: string;
  /** Its length in UTF-8. */
  readonly bytes: number;
}

/**
 * Stands for a transcript in printed JSON. Nobody else knows it, so that no text of an upstream
 * holds it.
 */
const mark = createUuid();
const printedMark = JSON.stringify(mark);

/** The transcripts that are met while a value is printed, in their order. */
let met: Transcript[] | undefined;

/** A value as JSON, with the transcripts in it. */
export const printJson = (value: unknown): Printed => {
  const before = met;
  const transcripts: Transcript[] = [];
  met = transcripts;
  let marked: string;
  try {
    marked = JSON.stringify(value);
  } finally {
    met = before;
  }
  // Counted here: what is put together of long texts would be copied into one piece for that.
  let bytes = Buffer.byteLength(marked);
  let json = '';
  let start = 0;
  for (const transcript of transcripts) {
    const at = marked.indexOf(printedMark, start);
    const printed = transcript.print();
    json += marked.slice(start, at) + printed.json;
    bytes += printed.bytes - printedMark.length;
    start = at + printedMark.length;
  }
  return { json: json + marked.slice(start), bytes };
};

/** Where texts are put together; what was larger is let go. */
const usualBytes = 256 * 1024;
let scratch = Buffer.alloc(usualBytes);

/** A list of an answer as it is written, but for the fields of its rows that were executed. */
export class Transcript {
  readonly #transcribed: Transcribed;
  /** Of each row, by response key. */
  readonly #others: readonly Result[];
  readonly #fields: readonly { readonly key: string }[];

  constructor(
    transcribed: Transcribed,
    others: readonly Result[],
    fields: readonly { readonly key: string }[],
  ) {
    this.#transcribed = transcribed;
    this.#others = others;
    this.#fields = fields;
  }

  /** To be called once nothing is awaited any more. */
  print(): Printed {
    const { text, bytes, gaps } = this.#transcribed;
    return gaps.length === 0 ? { json: text, bytes } : this.#fill(this.#printOthers());
  }

  /** For whoever prints a result in another way. */
  toJSON(): unknown {
    if (met === undefined) return JSON.parse(this.print().json);
    met.push(this);
    return mark;
  }

  /** Puts texts into the gaps, one into each: as bytes, since pieces of text are slow to join. */
  #fill(texts: readonly Buffer[]): Printed {
    const { text, bytes, gaps } = this.#transcribed;
    const length = texts.reduce((sum, each) => sum + each.length, bytes);
    if (bytes + length > scratch.length) scratch = Buffer.alloc(bytes + length);
    const from = length;
    scratch.write(text, from);
    let read = from;
    let to = 0;
    for (const [index, each] of texts.entries()) {
      const gap = from + (gaps[index] ?? bytes);
      scratch.copyWithin(to, read, gap);
      to += gap - read;
      to += each.copy(scratch, to);
      read = gap;
    }
    scratch.copyWithin(to, read, from + bytes);
    const json = scratch.toString('utf8', 0, length);
    if (scratch.length > usualBytes) scratch = Buffer.alloc(usualBytes);
    else scratch.fill(0, 0, from + bytes);
    return { json, bytes: length };
  }

  /** What stands in the gaps; what many rows lead to is printed once. */
  #printOthers(): readonly Buffer[] {
    const printed = new Map<unknown, Buffer>();
    const texts: Buffer[] = [];
    for (const others of this.#others) {
      for (const { key } of this.#fields) {
        const value = others[key];
        let text = printed.get(value);
        if (!text) {
          text = Buffer.from(printJson(value).json);
          printed.set(value, text);
        }
        texts.push(text);
      }
    }
    return texts;
  }
}

/** The rows of a list where they stand in a body, and what stands around them. */
export interface LocatedRows {
  /** Starts and ends of rows, by their `id`: equal ones by the last. */
  readonly spans: ReadonlyMap<string, readonly [start: number, end: number]>;
  /** The body without its rows. */
  readonly envelope: string;
}

const openBracket = 0x5b;
const quote = 0x22;
const rowStart = Buffer.from('{"id":"');
const betweenRows = '},{';
const lastRowEnd = '}]';

/** Whether a row starts there, its identifier first. */
const startsRow = (json: Buffer, at: number): boolean => {
  for (let index = 0; index < rowStart.length; index += 1) {
    if (json[at + index] !== rowStart[index]) return false;
  }
  return true;
};

/**
 * Finds the rows of a list without parsing them, where that takes next to nothing: where the body has one
 * list, whose rows have none within, stand close together and start with their identifier. Undefined for
 * any other body.
 *
 * Without a list within rows, `},{` stands between two of them or in a string. If in a string, what follows would not
 * start a row, since quotes in strings are escaped; so each start is one. An end may be wrong, and the
 * row then is no JSON.
 */
export const locateRows = (json: Buffer): LocatedRows | undefined => {
  const list = json.indexOf(openBracket);
  const end = json.lastIndexOf(lastRowEnd) + 1;
  if (list < 0 || end <= list || json.includes(openBracket, list + 1)) return undefined;
  const spans = new Map<string, readonly [number, number]>();
  for (let start = list + 1; start < end; ) {
    if (!startsRow(json, start)) return undefined;
    const next = json.indexOf(betweenRows, start);
    const rowEnd = next < 0 ? end : next + 1;
    const id = start + rowStart.length;
    const idEnd = json.indexOf(quote, id);
    if (idEnd === id) return undefined;
    spans.set(json.toString('utf8', id, idEnd), [start, rowEnd]);
    start = rowEnd + 1;
  }
  return { spans, envelope: json.toString('utf8', 0, list + 1) + json.toString('utf8', end) };
};

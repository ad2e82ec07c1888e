import type { HeaderOf } from './request.ts';

/** The head of a POST to the endpoint that says beyond doubt where the request ends and what it asks. */
export interface PlainHead {
  readonly header: HeaderOf;
  readonly bodyBytes: number;
  /** Whether the caller wants the connection closed with the answer. */
  readonly closes: boolean;
}

/** Field lines (RFC 9112, section 5) whose values are of visible ASCII, blanks and tabs. */
const fieldLines = /^(?:[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t\x20-\x7e]*\r\n)*$/;
/** The same, the last of which is not all there. */
const begunLines =
  /^(?:[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t\x20-\x7e]*\r\n)*(?:[!#$%&'*+.^_`|~0-9A-Za-z-]+(?::[\t\x20-\x7e]*\r?)?|\r)?$/;

/** Far fewer than node:http takes, and far more than callers send. */
const maxFields = 100;

/** Fields that change how a message is framed, or what becomes of its connection. */
const otherFraming = new Set(['transfer-encoding', 'expect', 'upgrade', 'proxy-connection']);

/** Reads the heads of POSTs to one path. What it takes node:http takes as well, and reads the same in it. */
export interface PlainHeads {
  /** Whether this may be the beginning of a head, to which more is to come. */
  mayBegin(head: string): boolean;
  /**
   * Reads a head up to and with the end of its last line. Gives up on whatever is unusual, such as a field that comes twice, or a
   * body of unknown length.
   */
  read(head: string): PlainHead | undefined;
}

/** The fields of a head by their names in lower case, if each comes once and none is of other framing. */
const readFields = (lines: string): ReadonlyMap<string, string> | undefined => {
  if (!fieldLines.test(lines)) return undefined;
  const fields = new Map<string, string>();
  for (let at = 0; at < lines.length; ) {
    const colon = lines.indexOf(':', at);
    const end = lines.indexOf('\r', colon);
    const name = lines.slice(at, colon).toLowerCase();
    if (fields.has(name) || otherFraming.has(name) || fields.size === maxFields) return undefined;
    fields.set(name, lines.slice(colon + 1, end).trim());
    at = end + 2;
  }
  return fields;
};

export const createPlainHeads = (path: string): PlainHeads => {
  const requestLine = `POST ${path} HTTP/1.1\r\n`;
  return {
    mayBegin: (head) =>
      head.startsWith(requestLine)
        ? begunLines.test(head.slice(requestLine.length))
        : requestLine.startsWith(head),
    read: (head) => {
      if (!head.startsWith(requestLine)) return undefined;
      const fields = readFields(head.slice(requestLine.length));
      if (!fields?.has('host')) return undefined;
      const connection = fields.get('connection')?.toLowerCase() ?? 'keep-alive';
      if (connection !== 'keep-alive' && connection !== 'close') return undefined;
      const length = fields.get('content-length') ?? '';
      if (!/^\d{1,15}$/.test(length)) return undefined;
      return {
        header: (name) => fields.get(name) ?? null,
        bodyBytes: Number(length),
        closes: connection === 'close',
      };
    },
  };
};

/** Media types may have capitals, and blanks before a parameter. */
export const isJson = (mediaType: string | null): boolean =>
  mediaType === 'application/json' || /^application\/json[ \t]*(;|$)/i.test(mediaType ?? '');

/** Whether a POST is of JSON of known length, by a caller who takes JSON: what nearly every request is. */
export const isPlain = (header: HeaderOf): boolean => {
  const accept = header('accept');
  return (
    isJson(header('content-type')) &&
    header('content-length') !== null &&
    (accept === null || accept === '*/*' || accept === 'application/json') &&
    header('content-encoding') === null
  );
};

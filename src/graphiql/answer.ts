import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import type { PackedFile } from './files.ts';

/** A content coding that a file can be sent in. */
type Coding = 'br' | 'gzip' | 'identity';

const member = /^([\w!#$%&'*+.^`|~-]+)(?:\s*;\s*q=([01](?:\.\d{0,3})?))?$/i;

const weightsOf = (header: string): ReadonlyMap<string, number> =>
  new Map(
    header.split(',').flatMap((part): [string, number][] => {
      const [, coding, weight = '1'] = member.exec(part.trim()) ?? [];
      return coding === undefined ? [] : [[coding.toLowerCase(), Number(weight)]];
    }),
  );

/**
 * The smallest of the codings that a caller likes best, by its `accept-encoding` (RFC 9110, section
 * 12.5.3); undefined where it takes none of them.
 */
const codingFor = (header: string | undefined): Coding | undefined => {
  // A caller that says nothing may not know of any.
  if (header === undefined) return 'identity';
  const weights = weightsOf(header);
  const weightOf = (coding: Coding): number => weights.get(coding) ?? weights.get('*') ?? 0;
  const packed = weightOf('br') >= weightOf('gzip') ? 'br' : 'gzip';
  const plainWeight = weights.get('identity');
  if (weightOf(packed) > 0 && weightOf(packed) >= (plainWeight ?? 0)) return packed;
  return (plainWeight ?? weights.get('*')) === 0 ? undefined : 'identity';
};

/** A response, whole. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

const methods = ['GET', 'HEAD'];

const textAnswer = (status: number, text: string, headers: Answer['headers'] = {}): Answer => ({
  status,
  headers: { ...headers, 'content-type': 'text/plain; charset=utf-8' },
  body: `${text}\n`,
});

/** For a page or file that could not be loaded. */
export const notLoaded = textAnswer(
  500,
  'GraphiQL cannot be loaded. The log of the gateway says more.',
);

/** A strong tag: each coding of a file is another sequence of bytes. */
const tagOf = ({ hash }: PackedFile, coding: Coding): string =>
  coding === 'identity' ? `"${hash}"` : `"${hash}-${coding}"`;

const holds = (header: string | undefined, tag: string): boolean =>
  header
    ?.split(',')
    .map((part) => part.trim().replace(/^W\//, ''))
    .some((part) => part === '*' || part === tag) === true;

const bodyOf = async (file: PackedFile, coding: Coding): Promise<Uint8Array<ArrayBuffer>> =>
  coding === 'identity' ? new Uint8Array(await promisify(brotliDecompress)(file.br)) : file[coding];

/** The answer with a file, or with what of it was asked for, to be kept for a year: its path changes with its text. */
export const answerFile = async (
  file: PackedFile,
  { method = '', headers }: IncomingMessage,
): Promise<Answer> => {
  if (!methods.includes(method)) {
    const allow = methods.join(', ');
    return textAnswer(405, `Send ${methods.join(' or ')} for this file.`, { allow });
  }
  const coding = codingFor(headers['accept-encoding']);
  const vary = 'accept-encoding';
  if (coding === undefined) {
    const message = 'This file is sent as br, as gzip or as it is: accept one of these.';
    return textAnswer(406, message, { vary });
  }
  const tag = tagOf(file, coding);
  const kept = { vary, 'cache-control': 'public, max-age=31536000, immutable', etag: tag };
  if (holds(headers['if-none-match'], tag)) return { status: 304, headers: kept };
  return {
    status: 200,
    headers: {
      ...kept,
      'content-type': file.mediaType,
      'content-length': String(coding === 'identity' ? file.bytes : file[coding].length),
      ...(coding !== 'identity' && { 'content-encoding': coding }),
    },
    ...(method !== 'HEAD' && { body: await bodyOf(file, coding) }),
  };
};

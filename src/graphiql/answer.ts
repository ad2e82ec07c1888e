import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import { type Coding, codingBy } from '../negotiation.ts';
import type { PackedFile } from './files.ts';

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

/** The response for a page or file that could not be loaded. */
export const notLoaded = textAnswer(
  500,
  'GraphiQL cannot be loaded. The log of the gateway says more.',
);

/** A strong tag, so each coding of a file needs a different one. */
const tagOf = ({ hash }: PackedFile, coding: Coding): string =>
  coding === 'identity' ? `"${hash}"` : `"${hash}-${coding}"`;

const bodyOf = async (file: PackedFile, coding: Coding): Promise<Uint8Array<ArrayBuffer>> =>
  coding === 'identity' ? new Uint8Array(await promisify(brotliDecompress)(file.br)) : file[coding];

/** The response with a file. Clients may cache it for a year, since its path changes with its content. */
export const answerFile = async (
  file: PackedFile,
  { method = '', headers }: IncomingMessage,
): Promise<Answer> => {
  if (!methods.includes(method)) {
    const allow = methods.join(', ');
    return textAnswer(405, `Send ${methods.join(' or ')} for this file.`, { allow });
  }
  const coding = codingBy(headers['accept-encoding']);
  const vary = 'accept-encoding';
  if (coding === undefined) {
    const message = 'This file is sent as br, as gzip or as it is: accept one of these.';
    return textAnswer(406, message, { vary });
  }
  const tag = tagOf(file, coding);
  const kept = { vary, 'cache-control': 'public, max-age=31536000, immutable', etag: tag };
  const known = headers['if-none-match'];
  // A tag includes its quotes, so a search in the whole list finds only whole tags.
  if (known === '*' || known?.includes(tag)) return { status: 304, headers: kept };
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

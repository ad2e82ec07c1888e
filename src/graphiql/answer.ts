import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import { type Coding, codingFor } from './coding.ts';
import type { PackedFile } from './files.ts';

const methods = ['GET', 'HEAD'];

const refuse = (response: ServerResponse, status: 405 | 406, message: string): void => {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' });
  response.end(`${message}\n`);
};

/** A strong tag: each coding of a file is another sequence of bytes. */
const tagOf = ({ hash }: PackedFile, coding: Coding): string =>
  coding === 'identity' ? `"${hash}"` : `"${hash}-${coding}"`;

const holds = (header: string | undefined, tag: string): boolean =>
  header
    ?.split(',')
    .map((part) => part.trim().replace(/^W\//, ''))
    .some((part) => part === '*' || part === tag) === true;

const bodyOf = async (file: PackedFile, coding: Coding): Promise<Uint8Array> =>
  coding === 'identity' ? promisify(brotliDecompress)(file.br) : file[coding];

/** Sends a file, or of it what was asked for, to be kept for a year: its path changes with its text. */
export const answerFile = async (
  file: PackedFile,
  { method = '', headers }: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  if (!methods.includes(method)) {
    response.setHeader('allow', methods.join(', '));
    refuse(response, 405, `Send ${methods.join(' or ')} for this file.`);
    return;
  }
  const coding = codingFor(headers['accept-encoding']);
  response.appendHeader('vary', 'accept-encoding');
  if (coding === undefined) {
    refuse(response, 406, 'This file is sent as br, as gzip or as it is: accept one of these.');
    return;
  }
  const tag = tagOf(file, coding);
  const kept = { 'cache-control': 'public, max-age=31536000, immutable', etag: tag };
  if (holds(headers['if-none-match'], tag)) {
    response.writeHead(304, kept).end();
    return;
  }
  const body = method === 'HEAD' ? undefined : await bodyOf(file, coding);
  response.writeHead(200, {
    ...kept,
    'content-type': file.mediaType,
    'content-length': coding === 'identity' ? file.bytes : file[coding].length,
    ...(coding !== 'identity' && { 'content-encoding': coding }),
  });
  response.end(body);
};

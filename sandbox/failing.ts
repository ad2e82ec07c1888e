import type { ServerResponse } from 'node:http';
import { type Answer, html } from './answer.ts';
import type { Fault } from './faults.ts';
import { Refusal } from './refusal.ts';
import type { RestInterface } from './rest-interface.ts';

// Longer than most callers wait by themselves, so that a page shows the failure at once.
const RETRY_SECONDS = 30;

const SLOW_MS = 5000;

const signInPage =
  '<!doctype html>\n<html><head><title>Sign in</title></head><body>Please sign in.</body></html>\n';

const timeoutPage = '<html><head><title>524: A timeout occurred</title></head></html>\n';

/** The answer to a credential that fails on purpose; undefined if only the delivery of the normal answer fails. */
export const answerInstead = (
  { tooMany, refuse }: Pick<RestInterface<unknown>, 'tooMany' | 'refuse'>,
  fault: Fault | undefined,
): Answer | undefined => {
  switch (fault) {
    case 'tooManyRequests':
      return tooMany({ remaining: 0, resetMs: RETRY_SECONDS * 1000, exceeded: true });
    case 'serverError':
      return refuse(new Refusal(500, 'this credential always fails'));
    case 'unavailable': {
      const answer = refuse(new Refusal(503, 'this credential is never served'));
      const headers = { ...answer.headers, 'Retry-After': String(RETRY_SECONDS) };
      return { ...answer, headers };
    }
    case 'proxyTimeout':
      return html(524, timeoutPage);
    case 'html':
      return html(200, signInPage);
    default:
      return undefined;
  }
};

const writeHead = (response: ServerResponse, { status, headers, body }: Answer): void => {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
};

const write = (response: ServerResponse, answer: Answer): void => {
  writeHead(response, answer);
  response.end(answer.body);
};

const cutOff = (response: ServerResponse, answer: Answer): void => {
  const bytes = Buffer.from(answer.body);
  writeHead(response, answer);
  response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy());
};

/** Writes an answer, late or cut off if the credential fails in that way on purpose. */
export const deliver = (
  response: ServerResponse,
  answer: Answer,
  fault: Fault | undefined,
): void => {
  // The caller has hung up, so nothing would clear the timer below.
  if (response.destroyed) return;
  if (fault === 'cut') cutOff(response, answer);
  else if (fault === 'slow') {
    const timer = setTimeout(() => write(response, answer), SLOW_MS);
    response.once('close', () => clearTimeout(timer));
  } else write(response, answer);
};

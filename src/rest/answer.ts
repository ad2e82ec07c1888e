import { describe, secondsToWait } from '../errors/describe.ts';
import { mediaTypeOf } from '../negotiation.ts';
import { headerOf } from '../upstream/answer-headers.ts';
import type { Answer } from '../upstream/call.ts';
import { asksForPause, type Failure, mayBeCarriedOut, wasNeverSent } from '../upstream/error.ts';

/** What a tool gets. */
export interface ToolAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined for an empty body. */
  readonly body: string | Buffer | undefined;
}

/** These headers of an answer are passed on. */
const passed = /^(?:content-type|retry-after|(?:x-)?ratelimit(?:-[a-z-]+)?)$/;

/**
 * An answer of the gateway itself, in the form of both interfaces: management's words are in `error`, those of
 * observability in `message`.
 */
export const ownAnswer = (
  status: number,
  message: string,
  requestId: string,
  headers: Readonly<Record<string, string>> = {},
): ToolAnswer => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify({ status, error: message, message, requestId }),
});

const isPage = (answer: Answer): boolean =>
  ['text/html', 'application/xhtml+xml'].includes(
    mediaTypeOf(headerOf(answer, 'content-type')) ?? '',
  );

/** The gateway asks for no encoding, and passes none on: a tool would take the bytes for text. */
const isEncoded = ({ headers }: Answer): boolean =>
  [headers['content-encoding'] ?? []]
    .flat()
    .some((coding) => !['', 'identity'].includes(coding.toLowerCase()));

/** Why a tool cannot use an answer; undefined if it can. */
export const whyUnfit = (answer: Answer): string | undefined => {
  if (isPage(answer)) return 'it is a page';
  if (isEncoded(answer)) return 'it has a content-encoding, which the gateway had not asked for';
  return answer.status >= 300 && answer.status <= 399 ? 'it is a redirect' : undefined;
};

/** The upstream's answer as it came, with its age if it is from memory. */
export const passOn = (answer: Answer, ageSeconds: number | undefined): ToolAnswer => {
  const { status, headers, body } = answer;
  const own = Object.keys(headers).filter((name) => passed.test(name) && headerOf(answer, name));
  return {
    status,
    headers: {
      ...Object.fromEntries(own.map((name) => [name, headerOf(answer, name)])),
      ...(ageSeconds !== undefined && { age: String(ageSeconds) }),
    },
    body: body.length > 0 ? body : undefined,
  };
};

/** The seconds after which a call that was not sent may be repeated, if the failure tells none. */
const soonSeconds = 1;

const statusOf = (failure: Failure): number => {
  const { reason, status } = failure;
  if (reason === 'no-credential' || reason === 'bad-credential') return 401;
  if (reason === 'no-slot' || status === 429) return 429;
  if (wasNeverSent(failure) || asksForPause(failure)) return 503;
  // Tools repeat a 502 and a 503, and a write might be carried out twice.
  if (mayBeCarriedOut(failure) || reason === 'timeout' || reason === 'aborted') return 504;
  return 502;
};

const messageOf = (failure: Failure): string => {
  if (failure.reason === 'no-credential') {
    const header = failure.detail?.replace(/^\w+-(?=Authorization)/, '');
    return `This call needs a credential: send the header "${header}".`;
  }
  if (failure.reason === 'no-such-route') {
    return `${failure.upstream} has no such path (status ${failure.status}).`;
  }
  const { message } = describe({ ...failure, operation: 'this call' });
  return mayBeCarriedOut(failure) ? `${message} Look before you repeat it.` : message;
};

/** The answer to a call for which the upstream has none that could be passed on. */
export const failedAnswer = (failure: Failure, requestId: string): ToolAnswer => {
  const status = statusOf(failure);
  const wait = secondsToWait(failure) ?? soonSeconds;
  return ownAnswer(status, messageOf(failure), requestId, {
    ...((status === 429 || status === 503) && { 'retry-after': String(wait) }),
    ...(mayBeCarriedOut(failure) && { connection: 'close' }),
  });
};

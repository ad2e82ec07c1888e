import { type Accepted, acceptedOf, type Content, contentOf, wholeTypes } from '../negotiation.ts';
import type { Callers } from './caller.ts';
import type { GatewayPlugin } from './plugin.ts';

/** Why a request is refused by its head, before anything is executed. */
interface Refusal {
  readonly status: 400 | 406 | 415;
  readonly message: string;
}

/** The media types that the body of an operation may have. */
const bodyTypes: readonly (string | undefined)[] = ['application/json', 'application/graphql+json'];

const isJson = (text: string | null): boolean => {
  if (text === null || text === '') return true;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

/** Whether the percent-encoded bytes in a URL are UTF-8. Node refuses a URL with any other bytes beyond ASCII. */
const isEncodedUtf8 = (url: string): boolean => {
  try {
    for (const [bytes] of url.matchAll(/(?:%[\da-f]{2})+/gi)) decodeURIComponent(bytes);
    return true;
  } catch {
    return false;
  }
};

const refusalOfParameters = (url: string): Refusal | undefined => {
  const { searchParams } = new URL(url);
  if (!isEncodedUtf8(url)) {
    return { status: 400, message: 'The parameters must be percent-encoded UTF-8.' };
  }
  const broken = ['variables', 'extensions'].find((name) => !isJson(searchParams.get(name)));
  return broken === undefined
    ? undefined
    : { status: 400, message: `The parameter "${broken}" must be JSON.` };
};

const refusalOf = (
  { method, url }: Request,
  { mediaType, isUtf8, isPlain }: Content,
  { mediaTypes }: Accepted,
): Refusal | undefined => {
  // A GET has no body, so it needs no content type.
  if (!bodyTypes.includes(mediaType) && (method === 'POST' || mediaType !== undefined)) {
    return {
      status: 415,
      message: 'Send the operation as JSON, with the header "content-type: application/json".',
    };
  }
  if (!isUtf8) {
    return { status: 415, message: 'Send the body in UTF-8: other charsets are not accepted.' };
  }
  if (!isPlain) {
    return {
      status: 415,
      message: 'Send the body uncompressed: compressed bodies are not accepted.',
    };
  }
  if (mediaTypes.length === 0) {
    const responses = [...wholeTypes, 'text/event-stream'].join(', ');
    return { status: 406, message: `Responses are ${responses}, in UTF-8: accept one of these.` };
  }
  return method === 'GET' ? refusalOfParameters(url) : undefined;
};

/**
 * Refuses requests that cannot be answered. Also refuses forms that a browser sends without asking the server first,
 * since any page could make a visitor run a mutation that way. This happens early, because an operation that has run
 * cannot be refused any more.
 *
 * The response is made here: Yoga has none with a body for a caller that accepts none of Yoga's media types. Yoga
 * compares media types letter by letter and ignores weights, so it gets both headers in its own form.
 */
export const useRequestHead = (callers: Callers): GatewayPlugin => {
  const contents = new WeakMap<Request, Content>();
  return {
    // Yoga looks for a parser by the content type, so this must come before.
    onRequest: ({ request }) => {
      const content = contentOf(request.headers);
      contents.set(request, content);
      if (content.mediaType !== undefined) request.headers.set('content-type', content.mediaType);
      request.headers.set('accept', acceptedOf(request).mediaTypes.join(', '));
    },
    onRequestParse: ({ request, serverContext: { req }, endResponse, fetchAPI }) => {
      const content = contents.get(request);
      const refusal = content && refusalOf(request, content, acceptedOf(request));
      if (!refusal) return;
      const { status, message } = refusal;
      const requestId = callers.get(req)?.caller.requestId;
      const body = { errors: [{ message, extensions: { code: 'BAD_REQUEST', requestId } }] };
      endResponse(fetchAPI.Response.json(body, { status }));
    },
  };
};

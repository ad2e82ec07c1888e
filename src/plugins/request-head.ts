import { type Accepted, acceptedOf, type Content, contentOf, wholeTypes } from '../negotiation.ts';
import type { Callers } from './caller.ts';
import type { GatewayPlugin } from './plugin.ts';

/** Why a request is refused by its head, before anything of it is executed. */
interface Refusal {
  readonly status: 400 | 406 | 415;
  readonly message: string;
}

/** What the body of an operation may be called. */
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

/** Whether the bytes that stand percent-encoded in a URL are UTF-8. Node refuses a URL with any others. */
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
  // A GET has no body, and so nothing to say of its kind.
  if (!bodyTypes.includes(mediaType) && (method === 'POST' || mediaType !== undefined)) {
    return {
      status: 415,
      message: 'Send the operation as JSON, with the header "content-type: application/json".',
    };
  }
  if (!isUtf8) {
    return { status: 415, message: 'Send the body in UTF-8: other charsets are not taken.' };
  }
  if (!isPlain) {
    return { status: 415, message: 'Send the body as it is: compressed ones are not taken.' };
  }
  if (mediaTypes.length === 0) {
    const responses = [...wholeTypes, 'text/event-stream'].join(', ');
    return { status: 406, message: `Responses are ${responses}, in UTF-8: accept one of these.` };
  }
  return method === 'GET' ? refusalOfParameters(url) : undefined;
};

/**
 * Refuses what cannot be answered, or comes in a form that a browser sends without asking the server first,
 * so that any page could have a visitor run a mutation. An operation that ran could not be refused any more.
 *
 * The response is made here: Yoga has none with a body for a caller who accepts nothing that it can send. Yoga compares
 * media types letter by letter and ignores weights, so it gets both headers in its own form.
 */
export const useRequestHead = (callers: Callers): GatewayPlugin => {
  const contents = new WeakMap<Request, Content>();
  return {
    // Before Yoga looks for a parser by the content type.
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

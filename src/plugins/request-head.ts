import type { Callers } from './caller.ts';
import type { GatewayPlugin } from './plugin.ts';

/** Why a request is refused by its head, before anything of it is executed. */
interface Refusal {
  readonly status: 400 | 406 | 415;
  readonly message: string;
}

/** What a response can be, by what the caller accepts. */
const responses = ['application/json', 'application/graphql-response+json', 'text/event-stream'];
const multipart = 'multipart/mixed';

/** A media type without its parameters, in lower case. */
export const mediaTypeOf = (value: string): string =>
  value.split(';', 1)[0]?.trim().toLowerCase() ?? '';

/** A range with `q=0` is one that is not accepted. */
export const isRefusedRange = (range: string): boolean => /;\s*q=0(?:\.0*)?\s*(?:;|$)/i.test(range);

const accepts = (header: string | null): boolean => {
  if (header === null || header.trim() === '') return true;
  return header
    .split(',')
    .map(mediaTypeOf)
    .some(
      (asked) =>
        asked === '*/*' ||
        asked === 'application/*' ||
        asked === 'text/*' ||
        asked === multipart ||
        responses.includes(asked),
    );
};

const isJson = (text: string | null): boolean => {
  if (text === null || text === '') return true;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

const refusalOf = ({ method, url, headers }: Request): Refusal | undefined => {
  const mediaType = headers.get('content-type');
  const kind = mediaType === null ? undefined : mediaTypeOf(mediaType);
  const json = kind === 'application/json' || kind === 'application/graphql+json';
  // A GET has no body, and so nothing to say of its kind.
  if (!json && (method === 'POST' || kind !== undefined)) {
    return {
      status: 415,
      message: 'Send the operation as JSON, with the header "content-type: application/json".',
    };
  }
  if ((headers.get('content-encoding') ?? 'identity') !== 'identity') {
    return { status: 415, message: 'Send the body as it is: compressed ones are not taken.' };
  }
  if (!accepts(headers.get('accept'))) {
    return {
      status: 406,
      message: `Responses are ${responses.join(', ')}: accept one of these.`,
    };
  }
  if (method !== 'GET') return undefined;
  const parameters = new URL(url).searchParams;
  const broken = ['variables', 'extensions'].find((name) => !isJson(parameters.get(name)));
  return broken === undefined
    ? undefined
    : { status: 400, message: `The parameter "${broken}" must be JSON.` };
};

/**
 * Refuses what cannot be answered, or comes in a form that a browser sends without asking the server first,
 * so that any page could have a visitor run a mutation. An operation that ran could not be refused any more.
 *
 * The response is made here: Yoga has none with a body for a caller who accepts nothing that it can send.
 */
export const useRequestHead = (callers: Callers): GatewayPlugin => ({
  onRequestParse: ({ request, serverContext: { req }, endResponse, fetchAPI }) => {
    const refusal = refusalOf(request);
    if (!refusal) return;
    const { status, message } = refusal;
    const requestId = callers.get(req)?.caller.requestId;
    const body = { errors: [{ message, extensions: { code: 'BAD_REQUEST', requestId } }] };
    endResponse(fetchAPI.Response.json(body, { status }));
  },
});

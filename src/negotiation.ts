import { type ContentType, parse } from 'content-type';
import { LRUCache } from 'lru-cache';
import Negotiator from 'negotiator';

/** The media types of a whole response, preferred first. */
export const wholeTypes = ['application/json', 'application/graphql-response+json'] as const;

const eventStream = 'text/event-stream';
export const multipart = 'multipart/mixed';
/** Media types of responses that clients read while they grow. */
export const streamTypes = [eventStream, multipart] as const;
const page = 'text/html';

/**
 * The forms of responses in parts, by the names of `@graphql-tools/executor`: `v0.1` is the one of 2022, and `v0.2` has
 * `pending` and `completed`.
 */
export type PartsForm = 'v0.1' | 'v0.2';

/** Which responses of the gateway a caller accepts. */
export interface Accepted {
  /** Media types of responses to operations, the preferred type first; empty if the caller accepts none. */
  readonly mediaTypes: readonly string[];
  /** Whether a subscription can be answered with an event stream. */
  readonly events: boolean;
  /** The form of a response in parts; undefined if a response must come whole. */
  readonly parts: PartsForm | undefined;
  /** Whether the caller prefers a page to a response. */
  readonly page: boolean;
}

/** `utf8` is not a registered name, but the Encoding Standard has it as a label. */
const isUtf8 = (charset: string): boolean => /^utf-?8$/i.test(charset);

/** Parameters name the form of the parts, as Apollo Client's do; undefined if the gateway does not send that form. */
const formOf = ({ parameters: { deferspec, incrementalspec } }: ContentType) => {
  if (incrementalspec !== undefined) return incrementalspec === 'v0.2' ? 'v0.2' : undefined;
  return (deferspec ?? '20220824') === '20220824' ? 'v0.1' : undefined;
};

const rangesOf = (header: string): readonly ContentType[] => {
  const ranges: ContentType[] = [];
  for (let start = 0; start < header.length; ) {
    const range = parse(header, { comma: true, start });
    ranges.push(range);
    start = range.index + 1;
  }
  return ranges;
};

const weightOf = ({ parameters: { q = '1' } }: ContentType): number => Number.parseFloat(q);

/** The other parameters of a range do not affect the gateway's choice. */
const negotiatorFor = (ranges: readonly ContentType[]): Negotiator => {
  const accept = ranges.map((range) => `${range.type};q=${weightOf(range)}`).join(', ');
  return new Negotiator({ headers: { accept } });
};

const negotiate = (header: string): Accepted => {
  const asked = rangesOf(header);
  const usable = asked.filter((range) => isUtf8(range.parameters.charset ?? 'utf-8'));
  const all = negotiatorFor(usable);
  // A caller that accepts anything expects one response that ends.
  const named = negotiatorFor(
    usable.filter((range) => range.type !== '*/*' && (range.type !== multipart || formOf(range))),
  );
  const streams = named.mediaTypes(streamTypes);
  const events = streams.includes(eventStream);
  // A caller that names forms of parts can read no others, in events either.
  const multiparts = asked.filter(({ type }) => type === multipart);
  const naming =
    multiparts.length > 0 ? multiparts : asked.filter(({ type }) => type === eventStream);
  const [best] = naming
    .filter((range) => formOf(range) && weightOf(range) > 0)
    .sort((one, other) => weightOf(other) - weightOf(one));
  return {
    mediaTypes: [...all.mediaTypes(wholeTypes), ...streams],
    events,
    parts: streams.length > 0 && best ? formOf(best) : undefined,
    page: all.mediaType([...wholeTypes, eventStream, page]) === page,
  };
};

/** Clients send few different headers, and always the same ones. */
const known = new LRUCache<string, Accepted>({ max: 100 });

/** Parses `accept` as in RFC 9110, section 12.5.1. */
export const acceptedBy = (header: string | null | undefined): Accepted => {
  const text = header?.trim() || '*/*';
  const found = known.get(text) ?? negotiate(text);
  known.set(text, found);
  return found;
};

/** Stored by request, since Yoga gets a changed header. */
const decided = new WeakMap<Request, Accepted>();

/** Like `acceptedBy`, for a request of Yoga, with the original header. */
export const acceptedOf = (request: Request): Accepted => {
  const accepted = decided.get(request) ?? acceptedBy(request.headers.get('accept'));
  decided.set(request, accepted);
  return accepted;
};

/** The members of a list header, in lower case. */
export const membersOf = (header: string | null | undefined): readonly string[] =>
  (header ?? '')
    .split(',')
    .map((member) => member.trim().toLowerCase())
    .filter((member) => member !== '');

/** In lower case, without parameters; undefined if the header is absent. */
export const mediaTypeOf = (header: string | null | undefined): string | undefined =>
  header ? parse(header, { parameters: false }).type : undefined;

/** How a request describes its body. */
export interface Content {
  /** In lower case; undefined if the request does not say. */
  readonly mediaType: string | undefined;
  /** Whether the body is in UTF-8, as far as the request says. */
  readonly isUtf8: boolean;
  /** Whether the body is not compressed. */
  readonly isPlain: boolean;
}

/** Whether a header names no coding except this one. */
const hasNoneBut = (header: string | null, coding: string): boolean =>
  membersOf(header).every((each) => each === coding);

export const contentOf = (headers: Headers): Content => {
  const type = headers.get('content-type');
  const { type: mediaType, parameters } = type === null ? {} : parse(type);
  return {
    mediaType,
    isUtf8: isUtf8(parameters?.charset ?? 'utf-8'),
    // Node decodes chunks, and ignores any other transfer coding.
    isPlain:
      hasNoneBut(headers.get('content-encoding'), 'identity') &&
      hasNoneBut(headers.get('transfer-encoding'), 'chunked'),
  };
};

/** Content codings of files, preferred first. */
const codings = ['br', 'gzip', 'identity'] as const;
export type Coding = (typeof codings)[number];

/** This method is missing in the types of the library. */
interface CodingNegotiator {
  encoding(
    available: string[],
    options: { readonly preferred: readonly string[] },
  ): string | undefined;
}

/** The coding that a caller prefers (RFC 9110, section 12.5.3); undefined if it accepts none. */
export const codingBy = (header: string | undefined): Coding | undefined => {
  const headers = { 'accept-encoding': header };
  const negotiator: CodingNegotiator = new Negotiator({ headers });
  const best = negotiator.encoding([...codings], { preferred: [...codings] });
  return codings.find((coding) => coding === best);
};

/** Seconds, as a token or quoted (RFC 9111, section 5.2). */
const seconds = /^(?:\d+|"\d+")$/;

/** The greatest age of an answer that `cache-control` allows, in seconds; Infinity if the caller sets none. */
export const maxAgeOf = (header: string | null): number => {
  const ages = membersOf(header).map((directive) => {
    const [name, value = ''] = directive.split('=').map((part) => part.trim());
    switch (name) {
      // A caller that forbids storing an answer does not want a stored answer either.
      case 'no-cache':
      case 'no-store':
        return 0;
      case 'max-age':
        return seconds.test(value) ? Number(value.replaceAll('"', '')) : 0;
      default:
        return Infinity;
    }
  });
  return Math.min(...ages);
};

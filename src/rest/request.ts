import type { IncomingMessage } from 'node:http';
import { contentOf } from '../negotiation.ts';
import { type UpstreamName, upstreamNames } from '../upstream/error.ts';
import type { Method } from '../upstream/operation.ts';

// The room judges the requests of REST tools before any call, and turns what became of a call into an answer.

/** Why the gateway answers a request itself. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
  /** For a method that is not served: those that are. */
  readonly allow?: string;
}

/** A request of a tool that may go to an upstream. */
export interface ToolRequest {
  readonly upstream: UpstreamName;
  readonly method: Method;
  /** The path at the upstream, with its query. */
  readonly target: string;
}

/** For each upstream: where its paths are in the gateway, and the start of the paths that are served. */
const places: Readonly<Record<UpstreamName, { readonly at: string; readonly served: string }>> = {
  management: { at: '/management', served: '/v1/' },
  observability: { at: '/observability', served: '/api/v2/' },
};

const methods: readonly string[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] satisfies Method[];

const isMethod = (method: string): method is Method => methods.includes(method);

/** The upstream that a path of the gateway is for; undefined if it is for none. */
export const upstreamAt = (target: string): UpstreamName | undefined => {
  const [path = ''] = target.split('?', 1);
  return upstreamNames.find((name) => `${path}/`.startsWith(`${places[name].at}/`));
};

/** Paths of both interfaces have no other characters. So a path means to the upstream what it means to the gateway. */
const segment = /^(?!\.{1,2}$)[\w.~:-]+$/;
/** Twice as many as any path has. A write without a row changes the reads at each start of its path. */
const mostSegments = 20;
/** Visible ASCII without `#`, after which a URL has a part that is not sent. */
const query = /^[!"$-~]*$/;

/** These headers would change what a call does. The gateway passes none of them on, so it must not ignore them. */
const refusedHeaders = [
  'if-match',
  'if-unmodified-since',
  'idempotency-key',
  'content-encoding',
  'range',
  'content-range',
  'x-http-method-override',
];

/** A read is answered in full without it; a write would be carried out where it was not to be. */
const refusedForWrites = [...refusedHeaders, 'if-none-match'];

const isOfBrowser = ({ headers }: IncomingMessage): boolean =>
  headers.origin !== undefined || (headers['sec-fetch-site'] ?? 'none') !== 'none';

const targetFault = (path: string, search: string, raw: string): string | undefined => {
  if (!raw.startsWith('/')) return 'The request target must be a path, got a whole URL.';
  const segments = path.slice(1).split('/');
  if (segments.length > mostSegments) return `The path may have at most ${mostSegments} segments.`;
  if (!segments.every((each) => segment.test(each))) {
    return 'Each segment of the path must be of letters, digits and the characters . _ ~ : -, and not be . or .. itself.';
  }
  return query.test(search)
    ? undefined
    : 'The query must be of visible ASCII characters without #, others percent-encoded.';
};

/** Whether a request brings a body, by its head. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

const contentFault = (headers: Headers): string | undefined => {
  const { mediaType, isUtf8, isPlain } = contentOf(headers);
  return mediaType === 'application/json' && isUtf8 && isPlain
    ? undefined
    : 'The body must be JSON in UTF-8, with the header "content-type: application/json".';
};

/**
 * Judges a request by its head.
 *
 * @param raw the request target as it came
 * @param served the upstreams that have a door of their own
 * @param mayWrite whether other methods than GET are served
 */
export const judgeHead = (
  req: IncomingMessage,
  raw: string,
  headers: Headers,
  served: readonly UpstreamName[],
  mayWrite: boolean,
): ToolRequest | Refusal => {
  const { method = '', url = '' } = req;
  if (isOfBrowser(req)) {
    return { status: 403, message: 'This path is for tools: requests of web pages are refused.' };
  }
  const upstream = upstreamAt(url);
  const place = upstream && places[upstream];
  const target = url.slice(place?.at.length);
  const end = target.includes('?') ? target.indexOf('?') : target.length;
  const path = target.slice(0, end);
  if (!upstream || !place || !served.includes(upstream) || !path.startsWith(place.served)) {
    const known = served.map((name) => `${places[name].at}${places[name].served}`);
    return {
      status: 404,
      message: `Nothing is served here. Paths begin with ${known.join(' or ')}.`,
    };
  }
  if (!isMethod(method) || (method !== 'GET' && !mayWrite)) {
    const message = isMethod(method)
      ? 'This gateway lets tools read, but not write (REST=read).'
      : 'This method is not served.';
    return { status: 405, message, allow: mayWrite ? methods.join(', ') : 'GET' };
  }
  const fault = targetFault(path, target.slice(end), raw);
  if (fault !== undefined) return { status: 400, message: fault };
  const unserved = method === 'GET' ? refusedHeaders : refusedForWrites;
  const refused = unserved.find((name) => headers.has(name));
  if (refused !== undefined) {
    return { status: 400, message: `The header ${refused} cannot be passed on: leave it out.` };
  }
  if (!hasBody(req)) return { upstream, method, target };
  if (method === 'GET') return { status: 400, message: 'A GET must not have a body.' };
  const unfit = contentFault(headers);
  return unfit === undefined ? { upstream, method, target } : { status: 415, message: unfit };
};

/**
 * The seconds after which the tool no longer waits for the answer; undefined if it does not say. Prometheus does, by
 * https://prometheus.io/docs/prometheus/latest/configuration/configuration/#scrape_config.
 */
export const patienceOf = ({ headers }: IncomingMessage): number | undefined => {
  const seconds = Number(headers['x-prometheus-scrape-timeout-seconds'] ?? Number.NaN);
  return seconds > 0 ? seconds : undefined;
};

export const isRefusal = (judged: ToolRequest | Refusal): judged is Refusal => 'status' in judged;

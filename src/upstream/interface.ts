import { isObject } from '../is-object.ts';
import type { UpstreamName } from './error.ts';
import { changedAround, type IdentifierAlphabet, type PathStart, token, uuid } from './path.ts';

/** The parts of an envelope, or what is wrong with it. */
type Opened =
  | {
      readonly payload: unknown;
      readonly requestId?: string | undefined;
      /** How many rows all pages of a list have together. */
      readonly total?: number | undefined;
      /** How many rows a page of the list can have. */
      readonly limit?: number | undefined;
      /** The cursor of the next page. */
      readonly nextCursor?: string | undefined;
    }
  | { readonly fault: string; readonly requestId?: string | undefined };

/** The differences between the REST interfaces. */
export interface RestInterface {
  readonly name: UpstreamName;
  /** The upstream that its calls go to, with the credentials and the limits of that upstream. */
  readonly destination: UpstreamName;
  /** The scheme of its credentials. */
  readonly scheme: 'Basic' | 'Bearer';
  /** The identifiers with which all its paths begin, beside those that the reference names. */
  readonly below: readonly string[];
  identifiersOf(parameter: string): IdentifierAlphabet;
  /** Opens the envelope of a successful answer. See `Operation.isBare`. */
  open(body: Readonly<Record<string, unknown>>, isBare?: boolean): Opened;
  /** The member of an error body that holds the upstream's own words. */
  readonly errorMember: string;
  /** Whether it answers with plain text for some missing objects. */
  readonly tellsMissingInText: boolean;
  /** If routes may be missing in a part of it: for how long it is not asked again, in milliseconds, and what that means. */
  readonly missingRoute?: { readonly keptMs: number; readonly meaning: string };
  /** Whether a path means the same thing for every credential, since it names the organization. */
  readonly pathsNameOwner: boolean;
  /** For an interface that has a part of its upstream's paths: whether a path belongs to it. */
  holds?(path: string): boolean;
  /** The reads that a write to this path may change if no row says it. */
  changedBy(path: string): readonly PathStart[];
}

const isSuccess = (status: unknown): boolean =>
  typeof status === 'number' && status >= 200 && status <= 299;

/** The id that an upstream gave a request; undefined if it has characters that must not be shown. */
export const requestIdOf = (body: Readonly<Record<string, unknown>>): string | undefined =>
  typeof body.requestId === 'string' && token.pattern.test(body.requestId)
    ? body.requestId
    : undefined;

/**
 * The reference, Endpoints: `{status, requestId, result}`, where status is 200 on success; services have also sent 201.
 */
export const management: RestInterface = {
  name: 'management',
  destination: 'management',
  scheme: 'Basic',
  below: [],
  identifiersOf: () => uuid,
  errorMember: 'error',
  tellsMissingInText: false,
  pathsNameOwner: true,
  changedBy: changedAround,
  open: (body) => {
    const requestId = requestIdOf(body);
    if (!('status' in body)) return { fault: 'has no envelope', requestId };
    if (!isSuccess(body.status)) {
      return { fault: 'has an envelope whose status is not one of success', requestId };
    }
    if (!('result' in body)) return { fault: 'has an envelope without a result', requestId };
    // Beyond the reference, some lists come in pages, each with the cursor of the next one.
    const { nextCursor = null } = body;
    if (nextCursor === null || nextCursor === '') return { payload: body.result, requestId };
    return typeof nextCursor === 'string'
      ? { payload: body.result, requestId, nextCursor }
      : { fault: 'has a nextCursor that is no text', requestId };
  },
};

const numberIn = (members: unknown, name: string): number | undefined => {
  const value = isObject(members) ? members[name] : undefined;
  return typeof value === 'number' ? value : undefined;
};

/** The reference, Endpoints: `{data}`. */
export const observability: RestInterface = {
  name: 'observability',
  destination: 'observability',
  scheme: 'Bearer',
  below: [],
  identifiersOf: () => token,
  errorMember: 'message',
  tellsMissingInText: true,
  pathsNameOwner: false,
  changedBy: () => [{ path: '', isWhole: false }],
  // Beyond the reference, `meta` has the size of the whole list and of a page.
  open: (body, isBare = false) => {
    const { data, meta } = body;
    if (data === undefined) return isBare ? { payload: body } : { fault: 'has no data' };
    return { payload: data, total: numberIn(meta, 'total'), limit: numberIn(meta, 'limit') };
  },
};

/** The identifiers of a service, with which all paths of its ClickStack begin. */
export const serviceIdentifiers = ['organizationId', 'serviceId'] as const;

const clickstackStart = /^\/v1\/organizations\/[^/]+\/services\/[^/]+\/clickstack\//;

/**
 * ClickStack in ClickHouse Cloud: the objects of observability below a service of management, with its credentials and its
 * envelope. Older descriptions name the total of a list `meta.total`, newer ones `totalCount`.
 */
export const clickstack: RestInterface = {
  ...management,
  name: 'observability',
  holds: (path) => clickstackStart.test(path),
  changedBy: (path) => [{ path: clickstackStart.exec(path)?.[0] ?? '', isWhole: false }],
  below: serviceIdentifiers,
  missingRoute: { keptMs: 600_000, meaning: 'This service has no ClickStack.' },
  identifiersOf: (parameter) =>
    serviceIdentifiers.some((name) => name === parameter) ? uuid : token,
  open: (body) => {
    const opened = management.open(body);
    if ('fault' in opened) return opened;
    const total = numberIn(body.meta, 'total') ?? numberIn(body, 'totalCount');
    return { ...opened, total, limit: numberIn(body.meta, 'limit') };
  },
};

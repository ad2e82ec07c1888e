import { isObject } from '../is-object.ts';
import { mediaTypeOf } from '../negotiation.ts';
import { headerOf, retryAfterSeconds } from './answer-headers.ts';
import type { Answer } from './call.ts';
import type { Failure } from './error.ts';
import { errorWords } from './error-words.ts';
import { type RestInterface, requestIdOf } from './interface.ts';
import type { AnyOperation } from './operation.ts';

/** The kind of body of a 404: it shows whether the service or a router answered. */
export type NotFoundBody = 'json' | 'html' | 'other';

/**
 * Whether a 404 means that the upstream has no such route, rather than no such object.
 *
 * For a missing object, services answer with JSON; for a missing route, routers answer with a page. Observability also
 * answers with plain text for some missing objects. So plain text from observability means a missing object if the
 * operation is documented and has an identifier; from other reads it means a missing route.
 */
export const isMissingRoute = (
  { tellsMissingInText }: Pick<RestInterface, 'tellsMissingInText'>,
  { method, path, documented }: Pick<AnyOperation, 'method' | 'path' | 'documented'>,
  body: NotFoundBody,
): boolean => {
  const namesThing = path.includes('{');
  // Without an identifier, a read can only miss its route. The body of a write may name a missing object.
  if (method === 'GET' && !namesThing) return true;
  if (body === 'json') return false;
  if (body === 'html') return true;
  return !tellsMissingInText || !namesThing || !documented;
};

type Json = Readonly<Record<string, unknown>>;

/** How many levels of objects and lists an answer may have. Records have about ten; thousands overflow the stack. */
const mostLevels = 100;

const isDeeperThan = (levels: number, value: unknown): boolean => {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  return members.some((member) => isDeeperThan(levels - 1, member));
};

const tooDeep = Symbol('JSON of more levels than an answer may have');

/** Parses JSON; undefined for any other text. */
const parse = (text: string): unknown => {
  try {
    const value: unknown = JSON.parse(text);
    return isDeeperThan(mostLevels, value) ? tooDeep : value;
  } catch {
    // The caller of this function treats text that is not JSON like JSON with an unusable value.
    return undefined;
  }
};

/** The part of a failure that follows from the answer. */
type AnswerFailure = Omit<Failure, 'upstream' | 'operation' | 'write' | 'problems'>;

/** A result with the number of unusable rows, or the failure. */
type Decoded =
  | {
      readonly result: unknown;
      readonly unusableRows: number;
      /** How many rows all pages of a list have together. */
      readonly total?: number | undefined;
      /** How many rows a page of the list can have. */
      readonly limit?: number | undefined;
      /** The cursor of the next page. */
      readonly nextCursor?: string | undefined;
    }
  | { readonly failure: AnswerFailure };

const typeOf = (answer: Answer): string => mediaTypeOf(headerOf(answer, 'content-type')) ?? '';

const parseJson = (answer: Answer): unknown =>
  /^application\/(?:[\w.+-]+\+)?json$/.test(typeOf(answer))
    ? parse(answer.body.toString())
    : undefined;

const parseBody = (answer: Answer): Json | typeof tooDeep | undefined => {
  const value = parseJson(answer);
  return value === tooDeep || isObject(value) ? value : undefined;
};

/** The body of an error that may hold a message, parsed if it is JSON. */
const parseError = (answer: Answer): unknown =>
  typeOf(answer) === 'text/plain' ? answer.body.toString() : parseJson(answer);

const isPage = (answer: Answer): boolean =>
  ['text/html', 'application/xhtml+xml'].includes(typeOf(answer));

const notFoundBody = (answer: Answer, body: unknown): NotFoundBody => {
  if (typeof body === 'object' && body !== null) return 'json';
  return isPage(answer) ? 'html' : 'other';
};

/** The failure that an unsuccessful answer tells, with the upstream's own words. */
export const decodeFailure = (
  operation: AnyOperation,
  api: RestInterface,
  answer: Answer,
): AnswerFailure => {
  const { status } = answer;
  if (status < 400) return { reason: 'bad-response', status, detail: `it answered ${status}` };
  const body = parseError(answer);
  const facts = { status, requestId: isObject(body) ? requestIdOf(body) : undefined };
  if (status >= 500) {
    return { ...facts, reason: 'status', retryAfterSeconds: retryAfterSeconds(answer) };
  }
  const isProblem = typeOf(answer) === 'application/problem+json';
  const detail = errorWords(body, isProblem ? 'problem' : { member: api.errorMember });
  if (status === 404) {
    const noRoute = isMissingRoute(api, operation, notFoundBody(answer, body));
    return { ...facts, detail, reason: noRoute ? 'no-such-route' : 'not-found' };
  }
  if (status === 429) {
    return { ...facts, detail, reason: 'status', retryAfterSeconds: retryAfterSeconds(answer) };
  }
  return { ...facts, detail, reason: 'status' };
};

const isIdentified = (row: unknown): row is Json & { readonly id: string } =>
  isObject(row) && typeof row.id === 'string' && row.id !== '';

/** Makes the function that adds the identifier that a row has under another name. */
const withId =
  (name: string) =>
  (row: unknown): unknown =>
    isObject(row) ? { ...row, id: row[name] } : row;

/** Whether the status means success: only then the body has the form that the row describes. */
export const isSuccess = ({ status }: Answer): boolean => status >= 200 && status <= 299;

/** Whether an answer has no body, or an empty object. */
const isEmpty = ({ body }: Answer): boolean => {
  const text = body.length <= 64 ? body.toString().replaceAll(/\s/g, '') : undefined;
  return text === '' || text === '{}';
};

/**
 * Decodes a successful answer as the reference describes it. Rows of a list without an identifier are left out: one odd
 * row must not cost the whole list.
 */
export const decode = (operation: AnyOperation, api: RestInterface, answer: Answer): Decoded => {
  const { status } = answer;
  const optional = operation.shape === 'optional';
  if (optional && isEmpty(answer)) return { result: {}, unusableRows: 0 };
  const bad = (detail: string, requestId?: string): Decoded => ({
    failure: { reason: 'bad-response', status, detail: `its answer ${detail}`, requestId },
  });
  const body = parseBody(answer);
  if (operation.shape === 'nothing') {
    // A proxy that asks people to sign in answers with a page.
    if (isPage(answer)) return bad('is a page');
    // By the status the call succeeded. Only an envelope may still say that it failed.
    const told = body === tooDeep ? undefined : body;
    const opened = api.open({ status: 200, result: null, data: null, ...told });
    if ('fault' in opened) return bad(opened.fault, opened.requestId);
    return { result: undefined, unusableRows: 0 };
  }
  if (body === undefined) return bad('is not a JSON object');
  if (body === tooDeep) return bad(`is nested more than ${mostLevels} levels deep`);
  const opened = api.open(optional ? { result: null, ...body } : body, operation.isBare);
  if ('fault' in opened) return bad(opened.fault, opened.requestId);
  if (optional && opened.payload === null) return { result: {}, unusableRows: 0 };
  const { payload, requestId, total, limit, nextCursor } = opened;
  if (operation.shape === 'page') {
    if (!Array.isArray(payload)) return bad('does not hold a list', requestId);
    const items = payload.filter(isObject);
    return { result: { items, nextCursor }, unusableRows: payload.length - items.length };
  }
  if (operation.shape !== 'list') {
    return isObject(payload)
      ? { result: payload, unusableRows: 0 }
      : bad('does not hold an object', requestId);
  }
  if (!Array.isArray(payload)) return bad('does not hold a list', requestId);
  const { identifiedBy } = operation;
  const all = identifiedBy === undefined ? payload : payload.map(withId(identifiedBy));
  const rows = all.every(isIdentified) ? all : all.filter(isIdentified);
  return { result: rows, unusableRows: payload.length - rows.length, total, limit, nextCursor };
};

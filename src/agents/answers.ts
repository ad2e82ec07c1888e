import type { ExecutionResult, GraphQLError } from 'graphql';
import { isObject } from '../is-object.ts';
import { faultsIn } from './arguments.ts';
import { textOfRead } from './incomplete.ts';
import type { JsonObject } from './protocol.ts';
import { cut, longest, toText, visible } from './text.ts';
import type { ListedTool, QueryTool, Tool } from './tools.ts';
import { mostSeconds } from './wait.ts';

/** A tool's result that says what went wrong. Models read it, and correct their call. */
export const failure = (text: string): JsonObject => ({
  content: [{ type: 'text', text }],
  isError: true,
});

const success = (text: string, ageSeconds: number | undefined): JsonObject => ({
  content: [{ type: 'text', text }],
  ...(ageSeconds !== undefined && { _meta: { 'sluice/ageSeconds': ageSeconds } }),
});

/** The header with the credential for each upstream. */
const headers: Readonly<Record<string, string>> = {
  management: 'Management-Authorization',
  observability: 'Observability-Authorization',
};

/** Names the upstream and the header, and who can help. */
const withHeader = (
  { message, extensions: { upstream } }: GraphQLError,
  hasOneKey: boolean,
): string => {
  const name = isObject(upstream) ? String(upstream.name) : '';
  const header = headers[hasOneKey ? 'management' : name] ?? '';
  const which = message.includes(header) ? 'It' : `${name} takes the header "${header}". It`;
  return `${message} ${which} is configured where your client has this server: tell the user, who can change it there.`;
};

const messageOf = (error: GraphQLError, hasOneKey: boolean): string =>
  error.extensions.code === 'UNAUTHENTICATED' ? withHeader(error, hasOneKey) : error.message;

const sentenceOf = (error: GraphQLError, hasOneKey: boolean): string => {
  const { code, limit } = error.extensions;
  // All waits of agents are over by then, so a place is free.
  const { retryAfterSeconds = limit === 'streams' ? mostSeconds : undefined } = error.extensions;
  const sentence = `${code}: ${messageOf(error, hasOneKey)}`;
  const isTold = retryAfterSeconds === undefined || sentence.includes('Retry in ');
  return isTold ? sentence : `${sentence} Ask again in ${retryAfterSeconds} s.`;
};

/** Where in the agent's own document an error is. */
const placeOf = ({ locations: [place] = [] }: Pick<GraphQLError, 'locations'>): string =>
  place ? ` (line ${place.line}, column ${place.column})` : '';

/** More errors of a document repeat the same mistakes. */
const mostTold = 10;

/** What to do where a refusal names a permission that no tool takes. */
const unpermitted: Readonly<Record<string, string>> = {
  WOULD_LOSE_DATA:
    ' No tool takes that: tell the user, who can change it where dashboards are edited.',
};

/** The refusals in the payloads of mutations. */
const refusalsIn = (data: JsonObject): readonly string[] =>
  Object.values(data)
    .flatMap((payload) => (isObject(payload) ? payload.userErrors : []))
    .filter(isObject)
    .map(({ code, message }) => `${code}: ${message}${unpermitted[String(code)] ?? ''}`);

/** Whether anything was read: an object whose members are all null has no data. */
const hasData = (value: unknown): boolean =>
  isObject(value) ? Object.values(value).some(hasData) : (value ?? undefined) !== undefined;

const tooLong = ({ narrowing }: Tool | QueryTool, length: number, most: number): JsonObject => {
  const how =
    narrowing.length === 0
      ? 'this tool cannot be narrowed; another may tell a part, or who runs the gateway can raise MCP_MAX_CHARACTERS'
      : `narrow it with ${narrowing.join(', ')}`;
  return failure(
    `ANSWER_TOO_LONG: The answer has ${length} characters, and may have ${most}. Nothing of it is shown: ${how}.`,
  );
};

interface AnswerFacts {
  readonly maxCharacters: number;
  /** Whether the management credential counts for both upstreams. */
  readonly hasOneKey: boolean;
  /** The age of the oldest read that came from memory; undefined if none did. */
  readonly ageSeconds: number | undefined;
}

/** The result of an operation as the result of its tool. */
export const toToolResult = (
  tool: Tool | QueryTool,
  { data, errors = [], extensions = {} }: ExecutionResult,
  { maxCharacters, hasOneKey, ageSeconds }: AnswerFacts,
): JsonObject => {
  const isOwn = tool.kind === 'query';
  const refusals = tool.isWrite ? refusalsIn(data ?? {}) : [];
  // A write that failed in part must not look as if it had succeeded.
  const hasFailed = errors.length > 0 && (tool.isWrite || !hasData(data));
  const isPlan = isObject(data?.plan);
  const most = tool.isWrite && !isPlan ? longest.write : longest.read;
  if (refusals.length > 0 || hasFailed) {
    // If only a part of the answer to a write failed, the write itself was carried out.
    const shown = toText(data ?? {}, most);
    const isDone = refusals.length === 0 && hasData(JSON.parse(shown));
    const done = isDone ? [`It was carried out all the same: ${shown}`] : [];
    const told = [
      ...refusals,
      ...errors
        .slice(0, mostTold)
        .map((error) => `${sentenceOf(error, hasOneKey)}${isOwn ? placeOf(error) : ''}`),
      ...done,
    ];
    return failure(cut(visible(told.join('\n')), maxCharacters));
  }
  const { before, progress, staleSeconds, unread } = extensions;
  const rest = { staleSeconds, now: new Date().toISOString() };
  // What a write did must be told, however long it is.
  if (tool.isWrite) return success(toText({ before, ...data, ...rest }, most), ageSeconds);
  const read = {
    // A key that an agent chose must not hide, or be taken for, one of the gateway's.
    ...{ data: isOwn ? { data } : (data ?? {}), isOwn, errors, progress },
    unread: Array.isArray(unread) ? unread.filter(isObject) : [],
    messageOf: (error: GraphQLError) => messageOf(error, hasOneKey),
  };
  const text = textOfRead(read, rest, maxCharacters);
  return text.length > maxCharacters
    ? tooLong(tool, text.length, maxCharacters)
    : success(text, ageSeconds);
};

/** What is wrong with a call's arguments; undefined if only their types can be wrong, which the operation finds. */
export const faultOf = (tool: ListedTool, given: JsonObject): JsonObject | undefined => {
  const faults = faultsIn(tool, given);
  return faults.length === 0 ? undefined : failure(`BAD_USER_INPUT: ${faults.join(' ')}`);
};

import { type ExecutionResult, GraphQLError } from 'graphql';
import { type Printed, printResult } from './execution/print.ts';
import type { Execute } from './executor.ts';
import type { Finish } from './finish.ts';
import { isObject } from './is-object.ts';
import { createBodyParser, type ParsedBody } from './parse-body.ts';
import type { FindText } from './persisted-operations.ts';
import type { HeaderOf, Incoming, Receive } from './request.ts';

/** A request that can be executed as it is. */
export interface GraphQLParams {
  readonly query: string;
  readonly operationName?: string | null;
  readonly variables?: Readonly<Record<string, unknown>> | null;
}

/** Executes a request; gives nothing, or a result without data, where it never comes to be executed. */
export type Run = (params: GraphQLParams, incoming: Incoming) => ReturnType<Execute> | undefined;

export interface AnswerPlainOptions {
  readonly receive: Receive;
  readonly findText: FindText;
  readonly run: Run;
  readonly finish: Finish;
  /** Whether a text that was executed may stay in memory. */
  readonly mayKeep: (text: string) => boolean;
}

/** What a request is answered with. */
export interface Answer extends Printed {
  readonly status: number;
  readonly requestId: string;
}

/**
 * Answers the body of a plain request (see `isPlain`), or gives nothing for what turns out not to be executable: Yoga has the
 * words for that.
 *
 * @param onBegin told of the request once it is taken in, so that its end can be told
 */
export type AnswerPlain = (
  body: Buffer,
  header: HeaderOf,
  onBegin: (incoming: Incoming) => void,
) => Promise<Answer | undefined>;

const asError = (error: unknown): Error =>
  error instanceof Error ? error : new Error(String(error));

const known = new Set(['query', 'documentId', 'operationName', 'variables', 'extensions']);

/** The parameters in a body, if they are just what they should be. */
const readParams = (params: unknown, findText: FindText): GraphQLParams | undefined => {
  if (!isObject(params) || !Object.keys(params).every((name) => known.has(name))) return undefined;
  const { operationName, variables, extensions } = params;
  const query = findText(params);
  if (typeof query !== 'string') return undefined;
  if (typeof (operationName ?? '') !== 'string') return undefined;
  if (!isObject(variables ?? {}) || !isObject(extensions ?? {})) return undefined;
  // Checked member by member just above.
  return { query, operationName, variables } as GraphQLParams;
};

export const createAnswerPlain = ({
  receive,
  findText,
  run,
  finish,
  mayKeep,
}: AnswerPlainOptions): AnswerPlain => {
  const bodies = createBodyParser();

  const parse = (body: Buffer): ParsedBody | undefined => {
    try {
      return bodies.parse(body);
    } catch {
      // Yoga says what is wrong with it.
      return undefined;
    }
  };

  const answerWith = (status: number, result: ExecutionResult, incoming: Incoming): Answer => {
    const { json, bytes } = printResult(finish(result, incoming));
    return { status, requestId: incoming.caller.requestId, json, bytes };
  };

  return async (body, header, onBegin) => {
    const parsed = parse(body);
    const params = parsed && readParams(parsed.value, findText);
    if (!params) return undefined;
    const incoming = receive(header);
    onBegin(incoming);
    try {
      const result = await run(params, incoming);
      if (result?.data !== undefined) {
        if (parsed?.isNew && mayKeep(params.query)) bodies.learn(body);
        return answerWith(200, result, incoming);
      }
    } catch (error) {
      const errors = [new GraphQLError('Unexpected error.', { originalError: asError(error) })];
      return answerWith(500, { errors }, incoming);
    }
    incoming.end();
    return undefined;
  };
};

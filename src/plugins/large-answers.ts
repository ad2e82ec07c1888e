import type { ExecutionResult } from 'graphql';
import { isAsyncIterable } from 'graphql-yoga';
import { isLarge, jsonInTurns } from '../execution/json.ts';
import type { GatewayPlugin } from './plugin.ts';

/** Writes a result whose data is JSON already. */
const writeWith = (data: string) => (result: ExecutionResult) => {
  const members = Object.entries({ ...result, stringify: undefined }).flatMap(([name, member]) =>
    member === undefined ? [] : [`"${name}":${name === 'data' ? data : JSON.stringify(member)}`],
  );
  return `{${members.join(',')}}`;
};

/**
 * Makes the JSON of large answers in several turns of the event loop, so that other requests are served in between. Must come
 * after all that changes data.
 */
export const useLargeAnswers = (): GatewayPlugin => ({
  onResultProcess: ({ result, setResult }) => {
    if (isAsyncIterable(result) || Array.isArray(result) || !isLarge(result.data)) return undefined;
    return jsonInTurns(result.data).then((data) =>
      setResult({ ...result, stringify: writeWith(data) }),
    );
  },
});

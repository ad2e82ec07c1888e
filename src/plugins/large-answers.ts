import type { ExecutionResult } from 'graphql';
import { isAsyncIterable } from 'graphql-yoga';
import { isLarge, jsonInTurns } from '../graphql/json.ts';
import type { GatewayPlugin } from './plugin.ts';

type Data = ExecutionResult['data'];

/** The JSON of a result's data. For large data it is made in several turns of the event loop. */
export const jsonOf = (data: Data): string | undefined | Promise<string> =>
  isLarge(data) ? jsonInTurns(data) : JSON.stringify(data);

/** Makes Yoga write a result with this JSON if its data is large; otherwise nothing is added. */
export const writtenWith = (data: Data, json: string | undefined) => {
  if (!isLarge(data)) return undefined;
  const stringify = (result: ExecutionResult): string => {
    const members = { ...result, stringify: undefined };
    if (result.data !== data) return JSON.stringify(members);
    const texts = Object.entries(members).flatMap(([name, member]) =>
      member === undefined ? [] : [`"${name}":${name === 'data' ? json : JSON.stringify(member)}`],
    );
    return `{${texts.join(',')}}`;
  };
  return { stringify };
};

/**
 * Makes the JSON of large answers in several turns of the event loop, so that other requests are served in between.
 * Must come after all plugins that change data.
 */
export const useLargeAnswers = (): GatewayPlugin => ({
  onResultProcess: ({ result, setResult }) => {
    if (isAsyncIterable(result) || Array.isArray(result) || !isLarge(result.data)) return undefined;
    const { data } = result;
    return jsonInTurns(data).then((json) => setResult({ ...result, ...writtenWith(data, json) }));
  },
});

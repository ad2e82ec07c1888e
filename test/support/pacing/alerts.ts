import { onTestFinished } from 'vitest';
import type { Config } from '../../../src/config.ts';
import {
  type Answering,
  data,
  type GraphQLAnswer,
  json,
  paced,
  type Stack,
  startStack,
} from '../harness.ts';

/** What the tests about Cache-Control ask for. */
export const document = '{ alerts { name } }';

/** Alerts whose name counts how often they were read. */
export const countingReads = (): Answering => {
  let reads = 0;
  return () => {
    reads += 1;
    return data([{ id: 'a1', name: `read ${reads}` }]);
  };
};

/** A gateway that paces and keeps, for as long as the test runs. */
export const startPaced = async (
  observability: Answering = countingReads(),
  config: Partial<Config> = {},
  management: Answering = () => json({}, 500),
): Promise<Stack> => {
  const stack = await startStack({
    management,
    observability,
    config: { ...paced, ...config },
  });
  onTestFinished(() => stack.close());
  return stack;
};

export interface Shown {
  readonly name: string | undefined;
  readonly age: string | null;
}

/** The first alert's name, and how old the answer says that it is. */
export const shown = ({ headers, body }: Pick<GraphQLAnswer, 'headers' | 'body'>): Shown => ({
  name: body.data?.alerts?.[0]?.name,
  age: headers.get('age'),
});

export const control = (value: string): Readonly<Record<string, string>> => ({
  'cache-control': value,
});

import { describe, expect, it } from 'vitest';
import type { Config } from '../../src/config.ts';
import type { GatewayServerOptions } from '../../src/gateway/server.ts';
import {
  type Answer,
  type Answering,
  json,
  type Stack,
  stackInTest,
  useStack,
} from '../support/harness.ts';

/** Members of a record, with any values. */
export type Members = Readonly<Record<string, unknown>>;

export const cloud: Partial<Config> = { managementProfile: 'clickhouse-cloud' };
export const hyperdx: Partial<Config> = { observabilityProfile: 'hyperdx' };
/** ClickStack in Cloud: one upstream for both interfaces. */
export const oneTree: Partial<Config> = {
  ...cloud,
  observabilityProfile: 'clickstack-cloud',
  observabilityUrl: undefined,
};

/** `METHOD /path`, with the body if there is one. */
export type Sent = readonly [call: string, body?: unknown];

export const sentOf = ({ calls }: Stack): readonly Sent[] =>
  calls.map(({ method, path, body }): Sent => {
    const call = `${method} ${path}`;
    return body === '' ? [call] : [call, JSON.parse(body)];
  });

/** A caller's request, the calls to the service in their order, its answers, and the caller's answer. */
export interface ProfileRow {
  readonly title: string;
  readonly document: string;
  readonly variables?: Members;
  readonly calls: readonly Sent[];
  readonly answer: Answer;
  readonly data: unknown;
}

/** A mutation with this selection of its payload, and its input as a variable. */
export const mutationOf = (field: string, payload: string): string =>
  `mutation ($input: ${field[0]?.toUpperCase()}${field.slice(1)}Input!) {
    ${field}(input: $input) { ${payload} userErrors { code message field } } }`;

/** Members that are null are those that the record does not have. */
const withoutNulls = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_, member) => (member === null ? undefined : member)));

/** One test for each row, all with one gateway. */
export const describeRows = (
  title: string,
  config: Partial<Config>,
  rows: readonly ProfileRow[],
): void => {
  describe(title, () => {
    let answer: Answer;
    const stack = useStack({ management: () => answer, observability: () => answer, config });

    it.each(rows.map((row) => [row.title, row] as const))('%s', async (_, row) => {
      answer = row.answer;
      const { body } = await stack.query(row.document, { variables: row.variables });
      expect(sentOf(stack)).toEqual(row.calls);
      expect(withoutNulls(body)).toEqual(withoutNulls({ data: row.data }));
    });
  });
};

const nothing: Answering = () => json({}, 500);

/** The gateway in front of a simulated service, until the test ends. */
export const startProfile = (
  answering: { readonly management?: Answering; readonly observability?: Answering },
  config: Partial<Config> = {},
  gateway: Partial<GatewayServerOptions> = {},
): Promise<Stack> =>
  stackInTest({
    ...{ management: nothing, observability: nothing, ...answering, gateway },
    config: { ...cloud, ...hyperdx, ...config },
  });

/** The body of the answer to a mutation with this selection of its payload. */
export const mutate = async (stack: Stack, field: string, input: object, payload = '') =>
  (await stack.query(mutationOf(field, payload), { variables: { input } })).body;

import { expect } from 'vitest';
import type { Config } from '../../../src/config.ts';
import {
  type AnswerError,
  type Answering,
  credentials,
  data,
  result,
  type Stack,
  startStack,
} from '../harness.ts';
import { withIds } from '../world/ids.ts';

const organization = { id: withIds('organization-1'), name: 'one', privateEndpoints: [] };
const service = { id: withIds('service-1'), name: 'production', endpoints: [] };

const management: Answering = ({ path }) => {
  if (path.endsWith('/organizations')) return result([organization]);
  if (path.endsWith('/services')) return result([service]);
  if (path.endsWith('/pipes')) return result([{ id: withIds('pipe-1') }]);
  return result(path.includes('/services/') ? service : organization);
};

/** A stack with its defaults but for what is given. */
export const startLimited = (config: Partial<Config> = {}): Promise<Stack> =>
  startStack({ management, observability: () => data([]), config });

export interface WayAnswer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
  readonly body: {
    readonly data?: unknown;
    readonly errors?: readonly (AnswerError & {
      readonly extensions: { readonly limit?: string; readonly allowed?: number };
    })[];
  };
}

interface Asked {
  readonly query: string;
  readonly operationName?: string;
  readonly variables?: unknown;
}

export type Way = (stack: Stack, asked: Asked) => Promise<WayAnswer>;

export const receive = async (answering: Promise<Response>): Promise<WayAnswer> => {
  const response = await answering;
  const text = await response.text();
  const type = response.headers.get('content-type') ?? '';
  return { status: response.status, type, text, body: JSON.parse(text) };
};

const streamOf = (pieces: readonly string[]) =>
  new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
      controller.close();
    },
  });

/** Sends these bytes as JSON: of known size when whole, chunked when in pieces. */
export const postBody = (
  stack: Stack,
  body: string | readonly string[],
  accept = 'application/json',
): Promise<WayAnswer> =>
  receive(
    fetch(stack.url, {
      method: 'POST',
      headers: { ...credentials, 'content-type': 'application/json', accept },
      ...(typeof body === 'string' ? { body } : { body: streamOf(body), duplex: 'half' }),
    }),
  );

/** Cuts a text into pieces of nearly equal size. */
export const cut = (text: string, pieces: number): readonly string[] => {
  const size = Math.ceil(text.length / pieces);
  return Array.from({ length: pieces }, (_, index) =>
    text.slice(index * size, (index + 1) * size),
  ).filter((piece) => piece !== '');
};

/** What Apollo Client accepts. */
const responseType = 'application/graphql-response+json,application/json;q=0.9';

/** Every form in which a mutation may be sent. */
export const postWays: Readonly<Record<string, Way>> = {
  'POST as application/json': (stack, asked) => postBody(stack, JSON.stringify(asked)),
  'POST as application/graphql-response+json': (stack, asked) =>
    postBody(stack, JSON.stringify(asked), responseType),
  'POST in chunks': (stack, asked) => postBody(stack, cut(JSON.stringify(asked), 3)),
};

/** Every form in which a query may be sent. */
export const ways: Readonly<Record<string, Way>> = {
  ...postWays,
  GET: (stack, { query, operationName, variables }) => {
    const url = new URL(stack.url);
    url.searchParams.set('query', query);
    if (operationName !== undefined) url.searchParams.set('operationName', operationName);
    if (variables !== undefined) url.searchParams.set('variables', JSON.stringify(variables));
    return receive(fetch(url, { headers: { ...credentials, accept: 'application/json' } }));
  },
};

/** `executed` says whether the selections themselves are asked for. */
export const expectAccepted = (stack: Stack, answer: WayAnswer, executed: boolean): void => {
  expect(answer.body.errors).toBeUndefined();
  expect(answer.status).toBe(200);
  expect(answer.body.data).toBeTypeOf('object');
  expect(stack.calls.length > 0).toBe(executed);
};

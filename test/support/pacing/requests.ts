import type { Call, GraphQLAnswer, Stack } from '../harness.ts';

/** A field of the other upstream, whose read shows that the operation has begun, and the header of its credential. */
const beside = {
  management: ['beside: alerts { name }', 'observability-authorization', 'Bearer '],
  observability: ['beside: organizations { name }', 'management-authorization', 'Basic '],
} as const;

let requests = 0;

/**
 * Requests fields of one upstream, and resolves when the gateway has begun to read them. The same operation reads a list of
 * the other upstream, with a credential that no other request has; that call is sent in the same turn of the event loop.
 */
export const begin = async (
  stack: Stack,
  upstream: Call['upstream'],
  fields: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly answer: Promise<GraphQLAnswer> }> => {
  requests += 1;
  const [field, header, scheme] = beside[upstream];
  const authorization = `${scheme}${btoa(`request-${requests}`)}`;
  const own = { ...headers, [header]: authorization };
  const answer = stack.query(`{ ${fields} ${field} }`, { headers: own });
  const hasBegun = () => stack.calls.some((call) => call.headers.authorization === authorization);
  while (!hasBegun()) await new Promise((resolve) => setImmediate(resolve));
  return { answer };
};

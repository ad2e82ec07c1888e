import type { Call, GraphQLAnswer, Stack } from '../harness.ts';

/** A request whose reads have begun. */
interface Begun {
  readonly answer: Promise<GraphQLAnswer>;
}

/** What is read beside the fields of an upstream, to see that their operation has begun. */
const beside = {
  management: {
    field: 'beside: alerts { name }',
    credential: (name: string) => ({ 'observability-authorization': `Bearer ${name}` }),
  },
  observability: {
    field: 'beside: organizations { name }',
    credential: (name: string) => ({ 'management-authorization': `Basic ${btoa(name)}` }),
  },
} as const;

let requests = 0;

/**
 * Asks for fields of one upstream, and resolves once the gateway has begun to read them: the other upstream was asked for
 * a list of its own, with a credential that no other request has, and was so in the same turn.
 */
export const begin = async (
  stack: Stack,
  upstream: Call['upstream'],
  fields: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Begun> => {
  requests += 1;
  const { field, credential } = beside[upstream];
  const own = credential(`request-${requests}`);
  const [authorization] = Object.values(own);
  const answer = stack.query(`{ ${fields} ${field} }`, { headers: { ...headers, ...own } });
  const hasBegun = () => stack.calls.some((call) => call.headers.authorization === authorization);
  while (!hasBegun()) await new Promise((resolve) => setImmediate(resolve));
  return { answer };
};

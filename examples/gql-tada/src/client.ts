import { Client, fetchExchange, type OperationResult } from '@urql/core';

export interface Connection {
  readonly url: string;
  /** Called before each request for the value of `Management-Authorization`; null for none. */
  readonly management: () => string | null;
  /** Called before each request for the value of `Observability-Authorization`; null for none. */
  readonly observability: () => string | null;
}

const authorization = ({ management, observability }: Connection): Record<string, string> => {
  const basic = management();
  const bearer = observability();
  return {
    ...(basic !== null && { 'Management-Authorization': basic }),
    ...(bearer !== null && { 'Observability-Authorization': bearer }),
  };
};

export const createSluiceClient = (connection: Connection): Client =>
  new Client({
    url: connection.url,
    // By default short queries are sent with GET, which would put identifiers into the logs of proxies.
    preferGetMethod: false,
    fetchOptions: () => ({ headers: authorization(connection) }),
    exchanges: [fetchExchange],
  });

/**
 * The data of an answer. Failed fields are null, and `failuresOf` has their errors.
 * @throws CombinedError if the request failed as a whole.
 */
export const dataOf = <Data>({ data, error }: OperationResult<Data>): Data => {
  if (data === undefined || data === null) throw error ?? new Error('The answer holds no data');
  return data;
};

/** A line for each failed field: its path in the answer, its code, and the reason. */
export const failuresOf = ({ error }: OperationResult): readonly string[] =>
  (error?.graphQLErrors ?? []).map(
    ({ path = [], extensions, message }) => `${path.join('.')}: ${extensions.code}: ${message}`,
  );

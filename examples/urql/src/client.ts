import { Client, cacheExchange, fetchExchange } from 'urql';

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
    exchanges: [cacheExchange, fetchExchange],
  });

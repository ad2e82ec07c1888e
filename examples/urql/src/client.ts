import { Client, cacheExchange, fetchExchange } from 'urql';

export interface Connection {
  readonly url: string;
  /** Asked before each request for the value of `Management-Authorization`; null for none. */
  readonly management: () => string | null;
  /** Asked before each request for the value of `Observability-Authorization`; null for none. */
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
    // By default short queries go out as GET, and identifiers would stand in the logs of proxies.
    preferGetMethod: false,
    fetchOptions: () => ({ headers: authorization(connection) }),
    exchanges: [cacheExchange, fetchExchange],
  });

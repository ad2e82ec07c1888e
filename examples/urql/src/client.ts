import { createClient, TypedDocumentString } from '@sluice/client';
import {
  Client,
  cacheExchange,
  fetchExchange,
  type SubscriptionForwarder,
  subscriptionExchange,
} from 'urql';

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

type Members = Record<string, unknown>;

/** Subscribes with `@sluice/client`, since urql does not subscribe again when a stream ends or is lost. */
const subscribeTo = (connection: Connection): SubscriptionForwarder => {
  const sluice = createClient(connection);
  return ({ query = '', variables = {} }) => ({
    subscribe: ({ next, error, complete }) => {
      const events = sluice.subscribe(new TypedDocumentString<Members, Members>(query), variables);
      const read = async (): Promise<void> => {
        let isFirst = true;
        for await (const { data, errors } of events) {
          const told = errors.map(({ message, path, ...extensions }) => {
            return { message, path, extensions };
          });
          // In the first event urql takes an empty list for an error. Later, without a list, it keeps the last errors.
          next({ data, ...((told.length > 0 || !isFirst) && { errors: told }) });
          isFirst = false;
        }
      };
      read().then(complete, error);
      return { unsubscribe: () => void events.return() };
    },
  });
};

export const createSluiceClient = (connection: Connection): Client =>
  new Client({
    url: connection.url,
    // By default short queries are sent with GET, which would put identifiers into the logs of proxies.
    preferGetMethod: false,
    fetchOptions: () => ({ headers: authorization(connection) }),
    exchanges: [
      cacheExchange,
      fetchExchange,
      subscriptionExchange({ forwardSubscription: subscribeTo(connection) }),
    ],
  });

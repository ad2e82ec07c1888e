import {
  Environment,
  type FetchFunction,
  type MissingFieldHandler,
  Network,
  RecordSource,
  Store,
} from 'relay-runtime';

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

const fetchFrom =
  (connection: Connection): FetchFunction =>
  async ({ text }, variables) => {
    const response = await fetch(connection.url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...authorization(connection) },
      body: JSON.stringify({ query: text, variables }),
    });
    if (!response.headers.get('content-type')?.includes('json')) {
      throw new Error(`${connection.url} answered ${response.status}, and not with JSON`);
    }
    return await response.json();
  };

// What was read under a pipe's own nodeId serves `node(nodeId:)` too, without a request.
const nodeFromStore: MissingFieldHandler = {
  kind: 'linked',
  handle: ({ name }, parent, { nodeId }) =>
    name === 'node' && parent?.getType() === '__Root' && typeof nodeId === 'string'
      ? nodeId
      : undefined,
};

export const createSluiceEnvironment = (connection: Connection): Environment =>
  new Environment({
    network: Network.create(fetchFrom(connection)),
    store: new Store(new RecordSource()),
    // Relay's default is `id`. Here that is the upstream's identifier, unique within a type at most:
    // those of tiles repeat between dashboards. What has no nodeId is kept below what has one.
    getDataID: ({ nodeId }) => nodeId,
    missingFieldHandlers: [nodeFromStore],
  });

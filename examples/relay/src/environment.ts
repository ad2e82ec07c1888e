import {
  Environment,
  type FetchFunction,
  type MissingFieldHandler,
  Network,
  type PayloadError,
  RecordSource,
  Store,
} from 'relay-runtime';

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

/** An error of an answer, as the gateway sends it. */
export interface SluiceError extends PayloadError {
  readonly extensions: { readonly code: string };
}

interface Answer {
  readonly data: Record<string, unknown> | null;
  readonly errors?: readonly SluiceError[];
}

// `@catch` gives a component the extensions of an error, but not its message or its whole path.
const withDetails = (error: SluiceError): PayloadError => {
  const { message, path = [], extensions } = error;
  return { ...error, ...{ extensions: { ...extensions, message, path: path.join('.') } } };
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
    const { data, errors = [] }: Answer = await response.json();
    if (data) return { data, ...(errors.length > 0 && { errors: errors.map(withDetails) }) };
    throw new Error(errors.map(({ message }) => message).join(' '));
  };

// A pipe that was read with its nodeId also answers `node(nodeId:)`, without a request.
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
    // Relay's default is `id`. Here that is the upstream's identifier, which is unique at most within a type: identifiers of
    // tiles repeat between dashboards. Objects without a nodeId are stored below their parent.
    getDataID: ({ nodeId }) => nodeId,
    missingFieldHandlers: [nodeFromStore],
  });

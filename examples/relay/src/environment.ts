import {
  createClient,
  type Client as Sluice,
  type SluiceProblem,
  TypedDocumentString,
} from '@sluice/client';
import {
  Environment,
  type FetchFunction,
  type MissingFieldHandler,
  Network,
  Observable,
  type PayloadError,
  RecordSource,
  type RequestParameters,
  Store,
  type SubscribeFunction,
} from 'relay-runtime';

export interface Connection {
  readonly url: string;
  /** Called before each request for the value of `Management-Authorization`; null for none. */
  readonly management: () => string | null;
  /** Called before each request for the value of `Observability-Authorization`; null for none. */
  readonly observability: () => string | null;
}

type Members = Record<string, unknown>;

const documentOf = ({ text }: RequestParameters) =>
  new TypedDocumentString<Members, Members>(text ?? '');

// `@catch` gives a component the extensions of an error, but not its message or its whole path.
const withDetails = ({ message, path = [], ...more }: SluiceProblem): PayloadError => {
  const extensions = { ...more, message, path: path.join('.') };
  return { message, path: [...path], ...{ extensions } };
};

const answerOf = (data: Members, errors: readonly SluiceProblem[]) => ({
  data,
  ...(errors.length > 0 && { errors: errors.map(withDetails) }),
});

const fetchWith =
  (sluice: Sluice): FetchFunction =>
  async (request, variables) => {
    const { data, errors } = await sluice.execute(documentOf(request), variables);
    if (data) return answerOf(data, errors);
    throw new Error(errors.map(({ message }) => message).join(' '));
  };

/** The client subscribes again when a stream ends or is lost, which Relay leaves to its network. */
const subscribeWith =
  (sluice: Sluice): SubscribeFunction =>
  (request, variables) =>
    Observable.create((sink) => {
      const events = sluice.subscribe(documentOf(request), variables);
      const read = async (): Promise<void> => {
        // Relay ends a subscription at an answer without data. The client itself throws its errors, if they are final.
        for await (const { data, errors } of events) if (data) sink.next(answerOf(data, errors));
      };
      read().then(sink.complete, sink.error);
      return () => void events.return();
    });

// A pipe that was read with its nodeId also answers `node(nodeId:)`, without a request.
const nodeFromStore: MissingFieldHandler = {
  kind: 'linked',
  handle: ({ name }, parent, { nodeId }) =>
    name === 'node' && parent?.getType() === '__Root' && typeof nodeId === 'string'
      ? nodeId
      : undefined,
};

export const createSluiceEnvironment = (connection: Connection): Environment => {
  const sluice = createClient(connection);
  return new Environment({
    network: Network.create(fetchWith(sluice), subscribeWith(sluice)),
    store: new Store(new RecordSource()),
    // Relay's default is `id`. Here that is the upstream's identifier, which is unique at most within a type: identifiers of
    // tiles repeat between dashboards. Objects without a nodeId are stored below their parent.
    getDataID: ({ nodeId }) => nodeId,
    missingFieldHandlers: [nodeFromStore],
  });
};

import { ApolloLink, Observable } from '@apollo/client';
import { type Client, type Progress, TypedDocumentString } from '@sluice/client';
import { OperationTypeNode, print } from 'graphql';
import { EMPTY, expand, switchMap, timer } from 'rxjs';

type Values = Readonly<Record<string, unknown>>;

export const createLiveLink = (client: Client): ApolloLink =>
  new ApolloLink(
    ({ query, variables }) =>
      new Observable((observer) => {
        const leaving = new AbortController();
        const document = new TypedDocumentString<Values, Values>(print(query));
        const follow = async () => {
          for await (const { data, errors } of client.subscribe(document, variables, leaving)) {
            const told = errors.map(({ message, ...extensions }) => ({ message, extensions }));
            observer.next(told.length > 0 ? { data, errors: told } : { data });
          }
        };
        follow().then(
          () => observer.complete(),
          (error) => observer.error(error),
        );
        return () => leaving.abort();
      }),
  );

/** Sends subscriptions through the client's event stream, and all other operations through the other link. */
export const withLive = (client: Client, others: ApolloLink): ApolloLink =>
  ApolloLink.split(
    ({ operationType }) => operationType === OperationTypeNode.SUBSCRIPTION,
    createLiveLink(client),
    others,
  );

/** Sends a query again until all its reads were ready in time, and passes each answer on. */
export const untilWhole = new ApolloLink((operation, forward) => {
  if (operation.operationType !== OperationTypeNode.QUERY) return forward(operation);
  return forward(operation).pipe(
    expand((answer) => {
      const progress: Progress | undefined = answer.extensions?.progress;
      // Deferred parts arrive without another request.
      if (!progress || 'hasNext' in answer) return EMPTY;
      const seconds = Math.min(10, Math.max(1, progress.completeInSeconds));
      return timer(seconds * 1000).pipe(switchMap(() => forward(operation)));
    }),
  );
});

import { ApolloLink, Observable } from '@apollo/client';
import { OperationTypeNode, print } from 'graphql';
import { type Client, TypedDocumentString } from '../../../client/src/index.ts';

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

/** Sends subscriptions one way, and everything else the other. */
export const withLive = (client: Client, others: ApolloLink): ApolloLink =>
  ApolloLink.split(
    ({ operationType }) => operationType === OperationTypeNode.SUBSCRIPTION,
    createLiveLink(client),
    others,
  );

/** Compiled by `npm run check`, never run: Apollo Client and urql have to know the types of these documents. */
import type { ApolloClient } from '@apollo/client';
import type { ResultOf, VariablesOf } from '@sluice/client';
import { DeletePipeDocument, LivePipeDocument, PipeDocument } from '@sluice/client/document-nodes';
import type { PipeDocument as PipeText } from '@sluice/client/operations';
import type { Client } from '@urql/core';

const ids = { organizationId: 'o', serviceId: 's' };
const variables = { ...ids, pipeId: 'p' };

export const apollo = async (client: ApolloClient): Promise<void> => {
  const { data } = await client.query({ query: PipeDocument, variables });
  data?.pipe?.name?.toUpperCase();
  // @ts-expect-error it has no such field
  data?.pipe?.title;
  // @ts-expect-error pipeId is required
  await client.query({ query: PipeDocument, variables: ids });
  client.subscribe({ query: LivePipeDocument, variables }).subscribe(({ data }) => {
    data?.pipe?.phase.toUpperCase();
    // @ts-expect-error it has no such field
    data?.pipe?.title;
  });
};

/** A literal, in which members that the type does not have are errors. */
export const optimistic = (client: ApolloClient) => {
  const input = { ...variables };
  const deletePipe = { deletedPipeId: 'p', userErrors: [] };
  const call = { mutation: DeletePipeDocument, variables: { input } };
  client.mutate({
    ...call,
    optimisticResponse: {
      __typename: 'Mutation',
      deletePipe: { __typename: 'DeletePipePayload', ...deletePipe },
    },
  });
  client.mutate({
    ...call,
    // @ts-expect-error it has no such field
    optimisticResponse: { deletePipe: { __typename: 'DeletePipePayload', id: 'p', ...deletePipe } },
  });
};

export const urql = async (client: Client): Promise<void> => {
  const { data } = await client.query(PipeDocument, variables);
  data?.pipe?.name?.toUpperCase();
  // @ts-expect-error it has no such field
  data?.pipe?.title;
  // @ts-expect-error pipeId is required
  await client.query(PipeDocument, ids);
  client.subscription(LivePipeDocument, variables).subscribe(({ data }) => {
    data?.pipe?.phase.toUpperCase();
  });
};

declare const node: VariablesOf<typeof PipeDocument>;
declare const shown: ResultOf<typeof PipeDocument>;
export const alike: readonly [VariablesOf<typeof PipeText>, ResultOf<typeof PipeText>] = [
  node,
  shown,
];

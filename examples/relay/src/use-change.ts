import { useState } from 'react';
import { type UseMutationConfig, useMutation } from 'react-relay';
import type { GraphQLTaggedNode, MutationParameters } from 'relay-runtime';
import type { Refusals_userErrors$key } from './__generated__/Refusals_userErrors.graphql.ts';

export interface Change<Mutation extends MutationParameters> {
  /** Sends the mutation, and clears the refusals of the last attempt. */
  readonly send: (variables: Mutation['variables']) => void;
  readonly inFlight: boolean;
  /** The refusals of the last attempt; empty if it was carried out. */
  readonly refusals: Refusals_userErrors$key;
  /** Why the last attempt, or a field of its answer, failed. */
  readonly failure: string | undefined;
}

/** A mutation with its two kinds of failure; `userErrorsOf` finds the refusals in the answer. */
export const useChange = <Mutation extends MutationParameters>(
  document: GraphQLTaggedNode,
  userErrorsOf: (response: Mutation['response']) => Refusals_userErrors$key,
): Change<Mutation> => {
  const [commit, inFlight] = useMutation<Mutation>(document);
  const [refusals, setRefusals] = useState<Refusals_userErrors$key>([]);
  const [failure, setFailure] = useState<string>();
  const send = (variables: Mutation['variables']): void => {
    setRefusals([]);
    setFailure(undefined);
    const config: UseMutationConfig<Mutation> = {
      variables,
      onCompleted: (response, errors) => {
        setRefusals(userErrorsOf(response));
        setFailure(errors?.map(({ message }) => message).join(' '));
      },
      onError: ({ message }) => setFailure(message),
    };
    commit(config);
  };
  return { send, inFlight, refusals, failure };
};

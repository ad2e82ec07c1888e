import { startTransition, useActionState } from 'react';
import type { Complaint } from './notice.tsx';
import { problemsIn, refusalIn } from './problems.ts';
import { useSession } from './session.ts';

/** How a mutation ended: what to say of it, or why it was not carried out. */
export interface Outcome {
  readonly said?: string;
  readonly problems?: readonly Complaint[];
}

interface Mutation<Input> {
  /** Starts it. Mutations of one row are sent one after the other. */
  readonly send: (input: Input) => void;
  readonly underWay: boolean;
  /** Of the last one that ended. */
  readonly outcome: Outcome;
}

/** @param perform the request; what it throws is shown as problems */
export const useMutation = <Input>(
  perform: (input: Input) => Promise<Outcome>,
): Mutation<Input> => {
  const { askAgain } = useSession();
  const [outcome, dispatch, underWay] = useActionState(
    async (_: Outcome, input: Input): Promise<Outcome> => {
      try {
        return await perform(input);
      } catch (thrown) {
        const problems = problemsIn(thrown);
        const refusal = refusalIn(problems);
        if (refusal) askAgain(refusal);
        return { problems };
      }
    },
    {},
  );
  return { send: (input) => startTransition(() => dispatch(input)), underWay, outcome };
};

import type { SluiceProblem } from '@sluice/client';
import { useState } from 'react';
import type { Complaint } from './notice.tsx';
import { mayBeDone, problemsIn, refusalIn } from './problems.ts';
import { useSession } from './session.ts';
import { useReadingAbove } from './use-reading.ts';

/** What the gateway answered to a mutation. */
export interface Answer {
  /** What to say of it; undefined where it was not carried out. */
  readonly said: string | undefined;
  /** Why not, as far as the person at the keyboard can mend it. */
  readonly userErrors: readonly Complaint[];
  readonly errors: readonly SluiceProblem[];
}

/** How a mutation ended. */
interface Outcome {
  readonly said?: string | undefined;
  readonly problems: readonly Complaint[];
}

interface Mutation<Input> {
  /** Resolves once it has ended and its effect has been read, with whether it was carried out. */
  readonly send: (input: Input) => Promise<boolean>;
  readonly underWay: boolean;
  readonly outcome: Outcome;
}

const nothing: Outcome = { problems: [] };

const advice =
  'The change may have been made all the same: look at what is shown here before you send it again.';

/**
 * A mutation, after which the page reads again, however it ended: what is shown has always been read.
 * The outcome stands beside what that read brought, and goes with the next.
 *
 * @param perform the request; what it throws is shown as problems
 */
export const useMutation = <Input>(perform: (input: Input) => Promise<Answer>): Mutation<Input> => {
  const { askAgain } = useSession();
  const { readAt, refresh } = useReadingAbove();
  const [underWay, setUnderWay] = useState(false);
  const [last, setLast] = useState<{ readonly outcome: Outcome; readonly readAt: Date }>();

  const send = async (input: Input): Promise<boolean> => {
    setUnderWay(true);
    const { said, userErrors, errors } = await perform(input).catch(
      (thrown: unknown): Answer => ({
        said: undefined,
        userErrors: [],
        errors: problemsIn(thrown),
      }),
    );
    const refusal = refusalIn(errors);
    if (refusal) {
      askAgain(refusal);
      return false;
    }
    const problems: readonly Complaint[] = [
      ...userErrors,
      ...errors,
      ...(said === undefined && errors.some(mayBeDone) ? [{ message: advice }] : []),
    ];
    setLast({ outcome: { said, problems }, readAt: await refresh() });
    setUnderWay(false);
    return said !== undefined;
  };

  return { send, underWay, outcome: last && last.readAt === readAt ? last.outcome : nothing };
};

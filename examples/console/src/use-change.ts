import type { SluiceProblem } from '@sluice/client';
import { useState } from 'react';
import { nextMoment } from './moment.ts';
import type { Complaint } from './notice.tsx';
import { mayBeDone, mayPass, problemsIn, refusalIn, retryAfterSecondsIn } from './problems.ts';
import { useSession } from './session.ts';
import { useLooks, type Verdict } from './use-looks.ts';
import { type Seen, useNewest } from './use-newest.ts';
import { useReadingAbove } from './use-reading.ts';

/** What the gateway answered to a mutation. */
export interface Answer<Item> {
  /** What to say of it; undefined where it was not carried out. */
  readonly said: string | undefined;
  /** The thing as the mutation left it, where it came whole. */
  readonly item: Item | null | undefined;
  /** Why not, as far as the person at the keyboard can mend it. */
  readonly userErrors: readonly Complaint[];
  readonly errors: readonly SluiceProblem[];
}

interface Changeable<Input, Item> {
  /** The mutation; what it throws is shown as problems. */
  readonly perform: (input: Input) => Promise<Answer<Item>>;
  /** Reads the one thing. */
  readonly read: (signal: AbortSignal) => Promise<{
    readonly item: Item | null | undefined;
    readonly errors: readonly SluiceProblem[];
  }>;
  /** Of a thing that goes on changing after the mutation: what it is on the way to. */
  readonly follow?: {
    readonly isSettled: (item: Item) => boolean;
    /** What to say of where it is when the page stops looking. */
    readonly describe: (item: Item) => string;
  };
}

/** What is to be said of a mutation. */
interface Outcome {
  readonly said?: string | undefined;
  readonly problems: readonly Complaint[];
}

interface Change<Input, Item> extends Seen<Item> {
  /** Resolves once it has ended, with whether it was carried out. */
  readonly send: (input: Input) => Promise<boolean>;
  readonly underWay: boolean;
  /** Is shown until a newer read of the half has come. */
  readonly outcome: Outcome;
}

const advice =
  'The change may have been made all the same: look at what is shown here before you send it again.';

/**
 * A thing that can be changed. What the mutation brings is shown; where it does not say how the thing is now, that
 * one thing is read. One that goes on changing is read again, with growing pauses, until it has settled.
 */
export const useChange = <Input, Item>(
  given: Seen<Item>,
  { perform, read, follow }: Changeable<Input, Item>,
): Change<Input, Item> => {
  const { askAgain } = useSession();
  const { sentAt: readSentAt } = useReadingAbove();
  const { seen, put } = useNewest(given);
  const [underWay, setUnderWay] = useState(false);
  const [news, setNews] = useState<readonly (Outcome & { readonly at: number })[]>([]);
  const current = news.filter(({ at }) => at > readSentAt);

  const tell = (outcome: Outcome): void => {
    const at = nextMoment();
    setNews((before) => [...before, { ...outcome, at }]);
  };

  const look = async (signal: AbortSignal, isLast: boolean): Promise<Verdict> => {
    const sentAt = nextMoment();
    const { item, errors } = await read(signal).catch((thrown: unknown) => ({
      item: undefined,
      errors: problemsIn(thrown),
    }));
    if (signal.aborted) return { again: false };
    const refusal = refusalIn(errors);
    if (refusal) askAgain(refusal);
    else if (item) {
      put({ item, problems: errors }, sentAt);
      if (follow && !follow.isSettled(item) && !isLast) return { again: true };
      if (follow) tell({ said: follow.describe(item), problems: [] });
    } else if (!isLast && errors.every(mayPass)) {
      return { again: true, afterSeconds: retryAfterSecondsIn(errors) };
    } else {
      tell({ problems: errors });
    }
    return { again: false };
  };
  // The half was read meanwhile, and showed the end of it.
  const isOver = current.length === 0 && follow?.isSettled(seen.item) === true;
  const looks = useLooks(look, isOver);

  const send = async (input: Input): Promise<boolean> => {
    looks.end();
    setNews([]);
    setUnderWay(true);
    const sentAt = nextMoment();
    const { said, item, userErrors, errors } = await perform(input).catch(
      (thrown: unknown): Answer<Item> => ({
        said: undefined,
        item: undefined,
        userErrors: [],
        errors: problemsIn(thrown),
      }),
    );
    const refusal = refusalIn(errors);
    if (refusal) {
      askAgain(refusal);
      return false;
    }
    const done = said !== undefined;
    const unclear = !done && errors.some(mayBeDone);
    const problems = [...userErrors, ...errors, ...(unclear ? [{ message: advice }] : [])];
    // Once it is done, errors are about the thing that came back, which is then read anew.
    tell({ said, problems: done ? [] : problems });
    setUnderWay(false);
    if (item) put({ item, problems: [] }, sentAt);
    if (done && follow) looks.begin('later');
    else if (!item && (done || unclear || userErrors.length > 0)) looks.begin('now');
    return done;
  };

  return {
    ...seen,
    send,
    underWay,
    outcome: {
      said: current.findLast(({ said }) => said !== undefined)?.said,
      problems: current.flatMap(({ problems }) => problems),
    },
  };
};

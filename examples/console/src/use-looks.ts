import { useState } from 'react';
import { useDue } from './use-due.ts';

// In seconds. A call every half minute leaves the limit to others; after some four minutes it is for a person to ask.
const pauses = [2, 4, 8, 16, 30, 30, 30, 30, 30, 30, 30] as const;

/** What a look has shown: whether another is wanted, and how many seconds it has to wait for at least. */
export interface Verdict {
  readonly again: boolean;
  readonly afterSeconds?: number | undefined;
}

interface Looks {
  /** Begins with the first look now, or after the first pause. */
  readonly begin: (first: 'now' | 'later') => void;
  readonly end: () => void;
}

interface Step {
  readonly due: Date;
  /** The index of the pause that follows it. */
  readonly next: number;
}

const inSeconds = (seconds: number): Date => new Date(Date.now() + seconds * 1000);

/**
 * Looks at a thing again and again, with growing pauses, until a look says that it is enough. None is made while
 * `paused`, while the page is hidden, or after the part of the page has gone away.
 *
 * @param look `isLast` says that no other will follow; what it answers to an aborted signal is ignored
 */
export const useLooks = (
  look: (signal: AbortSignal, isLast: boolean) => Promise<Verdict>,
  paused: boolean,
): Looks => {
  const [step, setStep] = useState<Step>();
  useDue(paused ? undefined : step?.due, async (signal) => {
    if (!step) return;
    const pause = pauses[step.next];
    const { again, afterSeconds = 0 } = await look(signal, pause === undefined);
    if (signal.aborted) return;
    setStep(
      again && pause !== undefined
        ? { due: inSeconds(Math.max(pause, afterSeconds)), next: step.next + 1 }
        : undefined,
    );
  });
  return {
    begin: (first) =>
      setStep(
        first === 'now' ? { due: new Date(), next: 0 } : { due: inSeconds(pauses[0]), next: 1 },
      ),
    end: () => setStep(undefined),
  };
};

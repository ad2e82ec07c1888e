import type { Progress } from '@sluice/client';
import { useId } from 'react';

const timeOf = (seconds: number): string =>
  seconds < 100 ? `${seconds} s` : `${Math.ceil(seconds / 60)} minutes`;

interface FillingProps extends Progress {
  /** What is read, unless that is clear. */
  readonly of?: string;
  /** Whether a rate limit is the reason for the wait. */
  readonly isLimited: boolean;
}

/** How much of a list has been read, and when the rest will be ready. */
export const Filling = ({ of, isLimited, ready, wanted, completeInSeconds }: FillingProps) => {
  const id = useId();
  return (
    <p className="filling">
      <progress aria-labelledby={id} value={ready} max={wanted} />
      <span id={id}>
        {of && `${of}: `}
        {ready} of {wanted} read, about {timeOf(completeInSeconds)} more
        {isLimited && ' (rate limit)'}
      </span>
    </p>
  );
};

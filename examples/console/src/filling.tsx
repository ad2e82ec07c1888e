import type { Progress } from '@sluice/client';
import { useId } from 'react';

const timeOf = (seconds: number): string =>
  seconds < 100 ? `${seconds} s` : `${Math.ceil(seconds / 60)} minutes`;

/** How much of a list has been read, and when the rest will be ready. */
export const Filling = ({ ready, wanted, completeInSeconds }: Progress) => {
  const id = useId();
  return (
    <p className="filling">
      <progress aria-labelledby={id} value={ready} max={wanted} />
      <span id={id}>
        {ready} of {wanted} read, about {timeOf(completeInSeconds)} more (rate limit)
      </span>
    </p>
  );
};

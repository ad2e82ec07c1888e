import type { MutationParameters } from 'relay-runtime';
import { Refusals } from './Refusals.tsx';
import type { Change } from './use-change.ts';

interface TroubleProps {
  readonly of: Pick<Change<MutationParameters>, 'refusals' | 'failure'>;
}

/** The errors of a change, if there are any. */
export const Trouble = ({ of: { refusals, failure } }: TroubleProps) => (
  <>
    <Refusals userErrors={refusals} />
    {failure && <p role="alert">{failure}</p>}
  </>
);

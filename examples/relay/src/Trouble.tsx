import type { MutationParameters } from 'relay-runtime';
import { Refusals } from './Refusals.tsx';
import type { Change } from './use-change.ts';

interface TroubleProps {
  readonly of: Pick<Change<MutationParameters>, 'refusals' | 'failure'>;
}

/** What went wrong with a change, if anything did. */
export const Trouble = ({ of: { refusals, failure } }: TroubleProps) => (
  <>
    <Refusals userErrors={refusals} />
    {failure && <p role="alert">{failure}</p>}
  </>
);

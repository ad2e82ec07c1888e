import type { UnreadEntry } from './use-pipes.ts';
import { rowLooks } from './words.ts';

/** A service in the list of pipes whose pipes are not known. */
export const UnreadRow = ({ entry: { place, phase } }: { readonly entry: UnreadEntry }) => {
  const { word, tone } = rowLooks[phase];
  return (
    <article className="row" aria-label={`Pipes of ${place}`}>
      <div className="facts">
        <strong>{place}</strong>
        <small>Pipes of this service</small>
      </div>
      <span className="state" data-tone={tone}>
        {word}
      </span>
      <div className="actions commands" />
    </article>
  );
};

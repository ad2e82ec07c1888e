import type { ServiceEntry } from './use-pipes.ts';
import { rowLooks } from './words.ts';

/** A service in the list of pipes, for pipes that are not known. */
export const ServiceRow = ({ entry: { place, phase } }: { readonly entry: ServiceEntry }) => {
  const { word, tone } = rowLooks[phase];
  return (
    <article className="row" aria-label={place}>
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

import type { Look } from './words.ts';

interface StateProps {
  readonly look: Look;
  /** The state in the service's own word. */
  readonly state: string | null;
  /** Whether that word says more than the page's own word. */
  readonly showsState: boolean;
  /** Whether notifications are off. */
  readonly silenced?: boolean;
}

/** The phase of a pipe or an alert, in the page's words; the service's own word is next to it or in the tooltip. */
export const State = ({ look: { word, tone }, state, showsState, silenced }: StateProps) => (
  <span
    className="state"
    data-tone={tone}
    title={state === null ? 'The service names no state' : `The service says "${state}"`}
  >
    <span>{word}</span>
    {showsState && state !== null && <small>{state}</small>}
    {silenced && <small>silenced</small>}
  </span>
);

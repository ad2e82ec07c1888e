import type { Look } from './words.ts';

interface StateProps {
  readonly look: Look;
  /** The service's own word. */
  readonly state: string | null;
  /** Whether that says more than the page's own word. */
  readonly showsState: boolean;
  /** Whether nobody is notified. */
  readonly silenced?: boolean;
}

/** What a pipe or an alert is doing, in the page's words; the service's own word stands beside it or in the tooltip. */
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

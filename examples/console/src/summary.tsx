import type { Entry } from './arrange.ts';
import { Button } from './button.tsx';

interface PartProps {
  readonly count: number;
  readonly thing: string;
  readonly verb: string;
  readonly soFar: boolean;
  readonly onShow: () => void;
}

const Part = ({ count, thing, verb, soFar, onShow }: PartProps) =>
  count === 0 ? (
    <span data-tone="good">
      No {thing} {verb}
      {soFar && ' so far'}
    </span>
  ) : (
    <Button
      className="link"
      data-tone="bad"
      onClick={() => {
        onShow();
        // On a phone it may be far below.
        document.getElementById(`${thing}s`)?.focus();
      }}
    >
      {count} {thing}
      {count > 1 && 's'} {verb}
    </Button>
  );

const countOf = (entries: readonly Entry<string>[], phase: string): number =>
  entries.filter((entry) => entry.phase === phase).length;

interface SummaryProps {
  /** Undefined or null if they are not known. */
  readonly pipes: readonly Entry<string>[] | null | undefined;
  /** Whether more pipes may exist than are known, and more alerts. */
  readonly morePipes: boolean;
  readonly moreAlerts: boolean;
  readonly alerts: readonly Entry<string>[] | null | undefined;
  readonly onPipes: () => void;
  readonly onAlerts: () => void;
}

/** A one-line summary of the problems; pressing a part filters the list. The browser's tab shows their number. */
export const Summary = ({
  pipes,
  alerts,
  morePipes,
  moreAlerts,
  onPipes,
  onAlerts,
}: SummaryProps) => {
  const failed = countOf(pipes ?? [], 'FAILED');
  const firing = countOf(alerts ?? [], 'FIRING');
  const count = failed + firing;
  return (
    <div className="summary" role="status" aria-label="Summary">
      <title>{count === 0 ? 'Sluice console' : `(${count}) Sluice console`}</title>
      {pipes && (
        <Part count={failed} thing="pipe" verb="failed" soFar={morePipes} onShow={onPipes} />
      )}
      {alerts && (
        <Part count={firing} thing="alert" verb="firing" soFar={moreAlerts} onShow={onAlerts} />
      )}
    </div>
  );
};

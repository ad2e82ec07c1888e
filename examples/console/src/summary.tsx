import type { Entry } from './arrange.ts';
import { Button } from './button.tsx';

interface PartProps {
  readonly count: number;
  readonly thing: string;
  readonly verb: string;
  readonly onShow: () => void;
}

const Part = ({ count, thing, verb, onShow }: PartProps) =>
  count === 0 ? (
    <span data-tone="good">
      No {thing} {verb}
    </span>
  ) : (
    <Button className="link" data-tone="bad" onClick={onShow}>
      {count} {thing}
      {count > 1 && 's'} {verb}
    </Button>
  );

const countOf = (entries: readonly Entry<string>[], phase: string): number =>
  entries.filter((entry) => entry.phase === phase).length;

interface SummaryProps {
  /** Undefined or null where they are not known. */
  readonly pipes: readonly Entry<string>[] | null | undefined;
  readonly alerts: readonly Entry<string>[] | null | undefined;
  readonly onPipes: () => void;
  readonly onAlerts: () => void;
}

/** What needs attention, in a line; pressing a part shows which they are. The tab shows how many. */
export const Summary = ({ pipes, alerts, onPipes, onAlerts }: SummaryProps) => {
  const failed = countOf(pipes ?? [], 'FAILED');
  const firing = countOf(alerts ?? [], 'FIRING');
  const count = failed + firing;
  return (
    <div className="summary" role="status" aria-label="Summary">
      <title>{count === 0 ? 'Sluice console' : `(${count}) Sluice console`}</title>
      {pipes && <Part count={failed} thing="pipe" verb="failed" onShow={onPipes} />}
      {alerts && <Part count={firing} thing="alert" verb="firing" onShow={onAlerts} />}
    </div>
  );
};

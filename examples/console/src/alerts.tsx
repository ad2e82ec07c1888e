import { AlertRow } from './alert-row.tsx';
import type { View } from './arrange.ts';
import { Entries } from './entries.tsx';
import type { AlertPhase } from './generated/operations.ts';
import { Half } from './half.tsx';
import type { Alerts } from './use-alerts.ts';
import { alertLooks, alertPhases } from './words.ts';

interface AlertsHalfProps {
  readonly alerts: Alerts;
  readonly view: View<AlertPhase>;
  readonly onView: (view: View<AlertPhase>) => void;
}

/** All alerts that the token may see, or those of an organization's services. */
export const AlertsHalf = ({
  alerts: { live, entries, isKnown, isPartial },
  view,
  onView,
}: AlertsHalfProps) => (
  <Half title="Alerts" upstream="observability" live={live} isKnown={isKnown}>
    <Entries
      things="alerts"
      place="dashboard"
      phases={alertPhases}
      looks={alertLooks}
      items={entries}
      total={entries.length}
      view={view}
      onView={onView}
      isPartial={!isKnown || isPartial}
    >
      {(entry) => <AlertRow entry={entry} />}
    </Entries>
  </Half>
);

// The sets of states are open: one that is not named here is shown as it is, without a colour.
const tones: Readonly<Record<string, string>> = {
  Running: 'good',
  Completed: 'good',
  OK: 'good',
  Failed: 'bad',
  InternalError: 'bad',
  Degraded: 'bad',
  ALERT: 'bad',
  Provisioning: 'moving',
  Stopping: 'moving',
  Pausing: 'moving',
  Modifying: 'moving',
  Setup: 'moving',
  Snapshot: 'moving',
  Resync: 'moving',
  PENDING: 'moving',
};

/** The state of a pipe or an alert. */
export const State = ({ state }: { readonly state: string | null }) => (
  <span className="state" data-tone={tones[state ?? '']}>
    {state ?? 'State unknown'}
  </span>
);

const onTheWay: ReadonlySet<string | null> = new Set([
  'Provisioning',
  'Setup',
  'Stopping',
  'Pausing',
  'Modifying',
  'Resync',
]);

/** Whether a pipe in that state goes on to another by itself, and soon. */
export const isOnTheWay = (state: string | null): boolean => onTheWay.has(state);

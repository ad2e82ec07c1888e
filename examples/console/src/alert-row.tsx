import type { SluiceProblem } from '@sluice/client';
import { useId, useRef, useState } from 'react';
import { Button } from './button.tsx';
import {
  type AlertFieldsFragment,
  AlertNowDocument,
  ChangeThresholdDocument,
  type UpdateAlertInput,
} from './generated/operations.ts';
import { Notice } from './notice.tsx';
import { useSession } from './session.ts';
import { State } from './state.tsx';
import { ThresholdForm } from './threshold-form.tsx';
import { useChange } from './use-change.ts';
import { useProgress } from './use-progress.ts';

// As many digits as a number holds: a threshold of 0.0005 must not be shown as 0.001.
const number = new Intl.NumberFormat('en', { maximumSignificantDigits: 15 });

const describe = ({ threshold, thresholdType }: AlertFieldsFragment): string => {
  const value = threshold === null ? 'an unknown threshold' : number.format(threshold);
  if (thresholdType === 'ABOVE') return `Fires above ${value}`;
  if (thresholdType === 'BELOW') return `Fires below ${value}`;
  return `Fires at ${value}`;
};

interface AlertRowProps {
  readonly alert: AlertFieldsFragment;
  /** What could not be read of the alert. */
  readonly problems: readonly SluiceProblem[];
}

/** An alert with its state and threshold, and a form that changes the threshold. */
export const AlertRow = ({ alert: given, problems: givenProblems }: AlertRowProps) => {
  const { client } = useSession();
  const [open, setOpen] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const form = useRef<HTMLFormElement>(null);
  const formId = useId();

  const close = (): void => {
    // The form takes the focus with it; whoever went on elsewhere while it was saved keeps it.
    const { activeElement, body } = document;
    if (activeElement === body || form.current?.contains(activeElement)) opener.current?.focus();
    setOpen(false);
  };
  const {
    item: alert,
    problems,
    send,
    underWay,
    outcome,
  } = useChange(
    { item: given, problems: givenProblems },
    {
      perform: async (threshold: Pick<UpdateAlertInput, 'threshold' | 'thresholdType'>) => {
        const { data, errors } = await client.execute(ChangeThresholdDocument, {
          input: { alertId: given.id, ...threshold },
        });
        const { alert, userErrors = [] } = data?.updateAlert ?? {};
        return {
          said: alert ? 'The threshold is saved.' : undefined,
          item: errors.length === 0 ? alert : undefined,
          userErrors,
          errors,
        };
      },
      read: async (signal) => {
        const { data, errors } = await client.execute(
          AlertNowDocument,
          { id: given.id },
          { signal },
        );
        return { item: data?.alert, errors };
      },
    },
  );
  const progress = useProgress(underWay, 'observability', {
    soon: 'Saving…',
    late: 'Still saving',
  });
  const name = alert.name ?? 'Unnamed alert';
  return (
    <article className="row" aria-label={name}>
      <div className="facts">
        <strong>{name}</strong>
        <small>{describe(alert)}</small>
      </div>
      <State state={alert.state} />
      <div className="actions">
        <Button
          ref={opener}
          aria-expanded={open}
          aria-controls={open ? formId : undefined}
          unavailable={underWay}
          onClick={() => setOpen(!open)}
        >
          Change threshold<span className="unseen"> of {name}</span>
        </Button>
      </div>
      {open && (
        <ThresholdForm
          id={formId}
          ref={form}
          alert={alert}
          label={`Threshold of ${name}`}
          underWay={underWay}
          onSave={async (threshold) => {
            if (await send(threshold)) close();
          }}
          onCancel={close}
        />
      )}
      <p className="said" role="status">
        {progress ?? outcome.said}
      </p>
      <Notice problems={[...problems, ...outcome.problems]} />
    </article>
  );
};

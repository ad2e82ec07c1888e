import type { SluiceProblem } from '@sluice/client';
import { useId, useRef, useState } from 'react';
import { Button } from './button.tsx';
import {
  type AlertFieldsFragment,
  ChangeThresholdDocument,
  type UpdateAlertInput,
} from './generated/operations.ts';
import { Notice } from './notice.tsx';
import { useSession } from './session.ts';
import { State } from './state.tsx';
import { ThresholdForm } from './threshold-form.tsx';
import { useMutation } from './use-mutation.ts';

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
  readonly onChange: (alert: AlertFieldsFragment) => void;
}

/** An alert with its state and threshold, and a form that changes the threshold. */
export const AlertRow = ({ alert, problems, onChange }: AlertRowProps) => {
  const { client } = useSession();
  const [open, setOpen] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const formId = useId();
  const name = alert.name ?? 'Unnamed alert';

  const close = (): void => {
    setOpen(false);
    opener.current?.focus();
  };
  const { send, underWay, outcome } = useMutation(
    async (threshold: Pick<UpdateAlertInput, 'threshold' | 'thresholdType'>) => {
      const { updateAlert } = await client.request(ChangeThresholdDocument, {
        input: { alertId: alert.id, ...threshold },
      });
      if (!updateAlert.alert) return { problems: updateAlert.userErrors };
      onChange(updateAlert.alert);
      close();
      return { said: 'The threshold is saved.' };
    },
  );
  return (
    <article className="row" aria-label={name} aria-busy={underWay}>
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
          alert={alert}
          label={`Threshold of ${name}`}
          underWay={underWay}
          onSave={send}
          onCancel={close}
        />
      )}
      <p className="said" role="status">
        {underWay ? 'Saving…' : outcome.said}
      </p>
      <Notice problems={[...problems, ...(outcome.problems ?? [])]} />
    </article>
  );
};

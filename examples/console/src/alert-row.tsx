import { useId, useRef, useState } from 'react';
import { Button } from './button.tsx';
import { ChangeThresholdDocument, type UpdateAlertInput } from './generated/operations.ts';
import { Complaints, Notice } from './notice.tsx';
import { useSession } from './session.ts';
import { State } from './state.tsx';
import { ThresholdForm } from './threshold-form.tsx';
import type { AlertEntry } from './use-alerts.ts';
import { useCommand } from './use-command.ts';
import { useFocusKeeper } from './use-focus-keeper.ts';
import { useProgress } from './use-progress.ts';
import { conditionOf, lookOf } from './words.ts';

/** An alert with its state and threshold, and a form that changes the threshold. */
export const AlertRow = ({ entry }: { readonly entry: AlertEntry }) => {
  const { name, place, alert: given, problems } = entry;
  const { client } = useSession();
  const [open, setOpen] = useState(false);
  const row = useRef<HTMLElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const form = useRef<HTMLFormElement>(null);
  const formId = useId();
  useFocusKeeper(row);

  const close = (): void => {
    // The focus goes when the form closes. If the user has moved the focus elsewhere while saving, it stays there.
    const { activeElement, body } = document;
    if (activeElement === body || form.current?.contains(activeElement)) opener.current?.focus();
    setOpen(false);
  };
  const {
    item: alert,
    send,
    underWay,
    said,
    complaints,
    dismiss,
  } = useCommand(
    'observability',
    given,
    async (threshold: Pick<UpdateAlertInput, 'threshold' | 'thresholdType'>) => {
      const { data, errors } = await client.execute(ChangeThresholdDocument, {
        input: {
          alertId: given.id,
          ...(entry.service && { service: entry.service }),
          ...threshold,
        },
      });
      const { alert, userErrors = [] } = data?.updateAlert ?? {};
      return {
        said: alert ? 'The threshold is saved.' : undefined,
        item: errors.length === 0 ? alert : undefined,
        userErrors,
        errors,
      };
    },
  );
  const progress = useProgress(underWay, { soon: 'Saving…', late: 'Still saving…' });
  const news = progress ?? said;
  return (
    <article id={entry.nodeId} className="row" aria-label={name} tabIndex={-1} ref={row}>
      <div className="facts">
        <strong>{name}</strong>
        <small>
          <span>{conditionOf(alert)}</span> · {place}
          {news && ' · '}
        </small>
        <small className="said" role="status">
          {news}
        </small>
      </div>
      <State
        look={lookOf(alert)}
        state={alert.state}
        showsState={false}
        silenced={alert.silenced === true}
      />
      <div className="actions">
        <Button
          ref={opener}
          aria-expanded={open}
          aria-controls={open ? formId : undefined}
          unavailable={underWay}
          onClick={() => setOpen(!open)}
        >
          Change<span className="unseen"> threshold of {name}</span>
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
      <Notice problems={problems} />
      <Complaints problems={complaints} onDismiss={dismiss} />
    </article>
  );
};

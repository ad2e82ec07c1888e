import type { Ref, SubmitEvent } from 'react';
import { Button } from './button.tsx';
import type {
  AlertFieldsFragment,
  AlertThresholdTypeInput,
  UpdateAlertInput,
} from './generated/operations.ts';

// Comparisons with two values cannot be edited here.
const sides = { ABOVE: 'above', BELOW: 'below' } as const satisfies Readonly<
  Partial<Record<AlertThresholdTypeInput, string>>
>;

const isSide = (value: unknown): value is keyof typeof sides =>
  typeof value === 'string' && value in sides;

// Defined outside the component: React calls a constant ref only once, when the field appears.
const takeFocus = (field: HTMLInputElement | null): void => {
  field?.focus();
  field?.select();
};

interface ThresholdFormProps {
  readonly id: string;
  readonly ref: Ref<HTMLFormElement>;
  readonly label: string;
  readonly alert: AlertFieldsFragment;
  readonly underWay: boolean;
  readonly onSave: (input: Pick<UpdateAlertInput, 'threshold' | 'thresholdType'>) => void;
  readonly onCancel: () => void;
}

/** The threshold of one alert. Escape cancels; input stays until it is saved. */
export const ThresholdForm = (props: ThresholdFormProps) => {
  const { id, ref, label, alert, underWay, onSave, onCancel } = props;
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (underWay) return;
    const fields = new FormData(event.currentTarget);
    const side = fields.get('side');
    // If the page does not know the comparison, it is not sent and so keeps its value.
    onSave({
      threshold: Number(fields.get('threshold')),
      ...(isSide(side) && { thresholdType: side }),
    });
  };
  return (
    <form
      id={id}
      ref={ref}
      className="threshold"
      aria-label={label}
      onSubmit={submit}
      onKeyDown={({ key }) => {
        if (key === 'Escape' && !underWay) onCancel();
      }}
    >
      <label>
        Fires
        <select name="side" defaultValue={alert.thresholdType ?? 'UNKNOWN'}>
          {!isSide(alert.thresholdType) && <option value="UNKNOWN">as before</option>}
          {Object.entries(sides).map(([value, word]) => (
            <option key={value} value={value}>
              {word}
            </option>
          ))}
        </select>
      </label>
      <label>
        Threshold
        <input
          ref={takeFocus}
          name="threshold"
          type="number"
          step="any"
          required
          defaultValue={alert.threshold ?? undefined}
        />
      </label>
      <Button type="submit" className="primary" unavailable={underWay}>
        Save
      </Button>
      <Button unavailable={underWay} onClick={onCancel}>
        Cancel
      </Button>
    </form>
  );
};

import { useMutation } from 'urql';
import { Failures, Refusals } from './failures.tsx';
import { type FragmentType, graphql, readFragment } from './generated/index.ts';

const alertRowFragment = graphql(`
  fragment AlertRow on Alert {
    id
    name
    state
    threshold
    thresholdType
  }
`);

const updateAlertMutation = graphql(`
  mutation UpdateAlert($input: UpdateAlertInput!) {
    updateAlert(input: $input) {
      alert {
        ...AlertRow
      }
      userErrors {
        ...Refusal
      }
    }
  }
`);

interface AlertRowProps {
  readonly alert: FragmentType<typeof alertRowFragment>;
}

export const AlertRow = (props: AlertRowProps) => {
  const { id, name, state, threshold, thresholdType } = readFragment(alertRowFragment, props.alert);
  const [{ data, error, fetching }, updateAlert] = useMutation(updateAlertMutation);
  const other = thresholdType === 'ABOVE' ? 'BELOW' : 'ABOVE';
  return (
    <li>
      {name ?? 'Unnamed'} <strong>{state}</strong> fires {thresholdType?.toLowerCase()} {threshold}
      <button
        type="button"
        disabled={fetching}
        onClick={() => updateAlert({ input: { alertId: id, thresholdType: other } })}
      >
        Fire {other.toLowerCase()} it
      </button>
      <Failures error={error} />
      <Refusals userErrors={data?.updateAlert.userErrors ?? []} />
    </li>
  );
};

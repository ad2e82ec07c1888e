import { graphql, useFragment } from 'react-relay';
import type { AlertRow_alert$key } from './__generated__/AlertRow_alert.graphql.ts';
import type { AlertRowUpdateMutation } from './__generated__/AlertRowUpdateMutation.graphql.ts';
import { Trouble } from './Trouble.tsx';
import { useChange } from './use-change.ts';

interface AlertRowProps {
  readonly alert: AlertRow_alert$key;
}

export const AlertRow = (props: AlertRowProps) => {
  const { id, name, state, threshold, thresholdType } = useFragment(
    graphql`
      fragment AlertRow_alert on Alert {
        id
        name
        state
        threshold
        thresholdType
      }
    `,
    props.alert,
  );
  const update = useChange<AlertRowUpdateMutation>(
    graphql`
      mutation AlertRowUpdateMutation($input: UpdateAlertInput!) {
        updateAlert(input: $input) {
          alert {
            ...AlertRow_alert
          }
          userErrors {
            ...Refusals_userErrors
          }
        }
      }
    `,
    ({ updateAlert }) => updateAlert.userErrors,
  );
  const other = thresholdType === 'ABOVE' ? 'BELOW' : 'ABOVE';
  return (
    <li>
      {name ?? 'Unnamed'} <strong>{state}</strong> fires {thresholdType?.toLowerCase()} {threshold}
      <button
        type="button"
        disabled={update.inFlight}
        onClick={() => update.send({ input: { alertId: id, thresholdType: other } })}
      >
        Fire {other.toLowerCase()} it
      </button>
      <Trouble of={update} />
    </li>
  );
};

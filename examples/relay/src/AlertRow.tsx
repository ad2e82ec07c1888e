import { graphql, useFragment } from 'react-relay';
import type { AlertRow_alert$key } from './__generated__/AlertRow_alert.graphql.ts';
import type { AlertRowUpdateMutation } from './__generated__/AlertRowUpdateMutation.graphql.ts';
import { Failures, orNull } from './caught.tsx';
import { Trouble } from './Trouble.tsx';
import { useChange } from './use-change.ts';

interface AlertRowProps {
  readonly alert: AlertRow_alert$key;
}

export const AlertRow = (props: AlertRowProps) => {
  const alert = useFragment(
    graphql`
      fragment AlertRow_alert on Alert {
        id
        name @catch
        state @catch
        threshold @catch
        thresholdType @catch
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
  const { id, name, state, threshold } = alert;
  const thresholdType = orNull(alert.thresholdType);
  const other = thresholdType === 'ABOVE' ? 'BELOW' : 'ABOVE';
  return (
    <li>
      {orNull(name) ?? 'Unnamed'} <strong>{orNull(state)}</strong> fires{' '}
      {thresholdType?.toLowerCase()} {orNull(threshold)}
      <button
        type="button"
        disabled={update.inFlight}
        onClick={() => update.send({ input: { alertId: id, thresholdType: other } })}
      >
        Fire {other.toLowerCase()} it
      </button>
      <Failures of={[name, state, threshold, alert.thresholdType]} />
      <Trouble of={update} />
    </li>
  );
};

import { graphql, useFragment } from 'react-relay';
import type { Refusals_userErrors$key } from './__generated__/Refusals_userErrors.graphql.ts';

interface RefusalsProps {
  readonly userErrors: Refusals_userErrors$key;
}

/** The problems that the user can solve before trying again. */
export const Refusals = (props: RefusalsProps) => {
  const userErrors = useFragment(
    graphql`
      fragment Refusals_userErrors on UserError @relay(plural: true) {
        code
        message
        field
      }
    `,
    props.userErrors,
  );
  return userErrors.map(({ code, message, field }) => (
    <p role="alert" key={`${code} ${field?.join('.')} ${message}`}>
      {field && <code>{field.join('.')}</code>} {message}
    </p>
  ));
};

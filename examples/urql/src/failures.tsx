import type { CombinedError } from 'urql';
import { type FragmentType, graphql, readFragment } from './generated/index.ts';

const refusalFragment = graphql(`
  fragment Refusal on UserError {
    code
    message
    field
  }
`);

interface RefusalsProps {
  readonly userErrors: readonly FragmentType<typeof refusalFragment>[];
}

/** The problems that the user can solve before trying again. */
export const Refusals = ({ userErrors }: RefusalsProps) =>
  readFragment(refusalFragment, userErrors).map(({ code, message, field }) => (
    <p role="alert" key={`${code} ${field?.join('.')} ${message}`}>
      {field && <code>{field.join('.')}</code>} {message}
    </p>
  ));

/** The errors; fields without an error are still shown. */
export const Failures = ({ error }: { readonly error: CombinedError | undefined }) => {
  if (error === undefined) return null;
  if (error.networkError) return <p role="alert">{error.networkError.message}</p>;
  return error.graphQLErrors.map(({ path = [], message, extensions }) => (
    <p role="alert" key={path.join('.')}>
      <code>{path.join('.')}</code> {String(extensions.code)}: {message}
    </p>
  ));
};

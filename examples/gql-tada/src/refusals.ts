import type { OperationResult } from '@urql/core';
import { failuresOf } from './client.ts';
import { type FragmentOf, graphql, type ResultOf, readFragment } from './graphql.ts';

export const refusal = graphql(`
  fragment Refusal on UserError {
    code
    message
    field
  }
`);

const describe = ({ code, message, field }: ResultOf<typeof refusal>): string =>
  field === null ? `${code}: ${message}` : `${code} in ${field.join('.')}: ${message}`;

/** Why a mutation's payload has no object, one line for each reason: refusals that the caller can solve, and failures. */
export const reasonsOf = (
  userErrors: readonly FragmentOf<typeof refusal>[],
  result: OperationResult,
): string => [...readFragment(refusal, userErrors).map(describe), ...failuresOf(result)].join('\n');

import { result } from '../harness.ts';
import type { OperationRow } from '../operation-row.ts';

/** A row for a mutation that answers with the object that it changed. */
export const changing = (
  field: string,
  input: Readonly<Record<string, unknown>>,
  call: string,
  body: object,
  answer: unknown,
  [member, selection, data]: readonly [string, string, unknown],
): OperationRow => ({
  title: field,
  document: `mutation ($input: ${field[0]?.toUpperCase()}${field.slice(1)}Input!) {
    ${field}(input: $input) { ${member} { ${selection} } userErrors { code message } }
  }`,
  variables: { input },
  call,
  body: JSON.stringify(body),
  answer: result(answer),
  data: { [field]: { [member]: data, userErrors: [] } },
});

import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { type Answer, data, result, type Stack, startStack } from './harness.ts';

/** A stack for the tests of one file, whose upstreams answer every call with an object of one id. */
export const useStack = (answers: { management?: Answer; observability?: Answer } = {}) => {
  const {
    management = result({ id: '5e4c0000-0000-4000-8000-000000000001' }),
    observability = data({ id: 'a1e400000000000000000001' }),
  } = answers;
  let stack: Stack | undefined;
  const started = (): Stack => {
    if (stack === undefined) throw new Error('not started');
    return stack;
  };
  beforeAll(async () => {
    stack = await startStack({ management: () => management, observability: () => observability });
  });
  beforeEach(() => {
    started().calls.length = 0;
  });
  afterAll(() => started().close());
  return started;
};

/** `UpdateServiceScalingInput` for `updateServiceScaling`. */
const inputType = (field: string): string =>
  `${field.charAt(0).toUpperCase()}${field.slice(1)}Input`;

/** Runs one mutation with its input as a variable; only `userErrors` are selected. */
export const mutate = (stack: Stack, field: string, input: object) =>
  stack.query(
    `mutation ($input: ${inputType(field)}!) {
      ${field}(input: $input) { userErrors { code message field } }
    }`,
    { variables: { input } },
  );

/** The breach of one rule: where it stands below `input`, and what the sentence about it has to name. */
export interface Breach {
  readonly field: readonly string[];
  readonly names: readonly string[];
}

/** Expects a refusal with these breaches and no others, and that nothing was sent. */
export const expectRefusal = async (
  stack: Stack,
  field: string,
  input: object,
  breaches: readonly Breach[],
): Promise<readonly string[]> => {
  const { body } = await mutate(stack, field, input);
  expect(stack.callList()).toEqual([]);
  expect(body).toEqual({
    data: {
      [field]: {
        userErrors: breaches.map((breach) => ({
          code: 'BAD_USER_INPUT',
          field: breach.field,
          message: expect.any(String),
        })),
      },
    },
  });
  const messages: string[] = body.data[field].userErrors.map(
    ({ message }: { message: string }) => message,
  );
  for (const [index, { names }] of breaches.entries()) {
    for (const name of names) expect(messages[index]).toContain(name);
  }
  return messages;
};

/** The bodies of the writes that have arrived: an update of an alert reads it before. */
export const bodiesWritten = (stack: Stack): readonly string[] =>
  stack.calls.filter(({ method }) => method !== 'GET').map(({ body }) => body);

/** Expects that the mutation is accepted and its one write carries this body. */
export const expectSent = async (
  stack: Stack,
  field: string,
  input: object,
  wireBody: string,
): Promise<void> => {
  const { body } = await mutate(stack, field, input);
  expect(bodiesWritten(stack)).toEqual([wireBody]);
  expect(body).toEqual({ data: { [field]: { userErrors: [] } } });
};

const errorsOf = async (stack: Stack, document: string, variables: object) => {
  const { body } = await stack.query(document, { variables });
  expect(stack.callList()).toEqual([]);
  expect(body.data ?? null).toBeNull();
  const errors: { message: string; extensions: { code: string } }[] = body.errors;
  return {
    codes: [...new Set(errors.map(({ extensions }) => extensions.code))],
    messages: errors.map(({ message }) => message).join('\n'),
  };
};

/** Expects that the variables are refused with a sentence that names these, and that nothing was sent. */
export const expectInvalidVariables = async (
  stack: Stack,
  document: string,
  variables: object,
  names: readonly string[],
): Promise<void> => {
  const { codes, messages } = await errorsOf(stack, document, variables);
  expect(codes).toEqual(['BAD_USER_INPUT']);
  for (const name of names) expect(messages).toContain(name);
};

/** Expects that the document is refused with a sentence that names these, and that nothing was sent. */
export const expectInvalidDocument = async (
  stack: Stack,
  document: string,
  names: readonly string[],
): Promise<void> => {
  const { codes, messages } = await errorsOf(stack, document, {});
  expect(codes).toEqual(['GRAPHQL_VALIDATION_FAILED']);
  for (const name of names) expect(messages).toContain(name);
};

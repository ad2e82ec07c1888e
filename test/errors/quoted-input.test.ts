import { expect, it } from 'vitest';
import { withoutQuotedInput } from '../../src/errors/quoted-input.ts';

it.each([
  ['Int cannot represent non-integer value: 1.5', 'Int cannot represent non-integer value: 1.5'],
  ['Int cannot represent non-integer value: ["s"]', 'Int cannot represent non-integer value.'],
  ['String cannot represent a non string value: 12', 'String cannot represent a non string value.'],
  ['Value "s" s" does not exist in "E" enum.', 'The value does not exist in "E" enum.'],
  ['The words String "s" in no syntax error.', 'The words String "s" in no syntax error.'],
  [
    'Variable "$v" got invalid value "s"; Words of a later graphql-js about "s".',
    'Variable "$v" got an invalid value; It does not fit its type.',
  ],
])('shows the message %j as %j', (message, shown) => {
  expect(withoutQuotedInput(message)).toBe(shown);
});

import { expect, it } from 'vitest';
import { withoutQuotedInput } from '../../src/errors/quoted-input.ts';

it.each([
  ['Int cannot represent non-integer value: 1.5', 'Int cannot represent non-integer value: 1.5'],
  ['String cannot represent a non string value: 12', 'String cannot represent a non string value.'],
  ['ID cannot represent value: { a: "s" }', 'ID cannot represent value.'],
  ['Int cannot represent non-integer value: ["s"]', 'Int cannot represent non-integer value.'],
  ['Expected value of type "A", found "s".', 'Expected value of type "A".'],
  [
    'Value "s" does not exist in "E" enum. Did you mean "S"?',
    'Value "s" does not exist in "E" enum. Did you mean "S"?',
  ],
  ['Value "s" s" does not exist in "E" enum.', 'The value does not exist in "E" enum.'],
  ['Syntax Error: Expected Name, found String "s".', 'Syntax Error: Expected Name, found String.'],
  ['The words String "s" in no syntax error.', 'The words String "s" in no syntax error.'],
  [
    'Variable "$v" got invalid value 1.5; Int cannot represent non-integer value: 1.5',
    'Variable "$v" got invalid value 1.5; Int cannot represent non-integer value: 1.5',
  ],
  [
    'Variable "$v" got invalid value 7 at "v.a[0]"; String cannot represent a non string value: 7',
    'Variable "$v" got an invalid value at "v.a[0]"; String cannot represent a non string value.',
  ],
  [
    'Variable "$v" got invalid value "s"; Expected type "A" to be an object.',
    'Variable "$v" got an invalid value; Expected type "A" to be an object.',
  ],
  [
    'Variable "$v" got invalid value "s"; Words of a later graphql-js about "s".',
    'Variable "$v" got an invalid value; It does not fit its type.',
  ],
])('of the message %j is shown %j', (message, shown) => {
  expect(withoutQuotedInput(message)).toBe(shown);
});

/** Parts of messages of graphql-js, which callers can send too. */
export const pieces = [
  'Value "',
  'Value "a" does not exist in "b" enum ',
  'got ',
  ', got: ',
  '; Field "a" is not defined by type ',
  '; String cannot represent ',
  ' at "a.b"',
  ' value: ',
  'Syntax Error: String "',
  'a',
  '[',
];

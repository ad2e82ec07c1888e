import { expect, it } from 'vitest';
import { withoutQuotedInput } from '../../src/errors/quoted-input.ts';
import { type Answer, json, useStack } from '../support/harness.ts';
import { withIds } from '../support/world/ids.ts';

let answer: Answer;
const stack = useStack({ management: () => answer, observability: () => answer });

const read = withIds('{ service(@service-1) { name } }');
const write = withIds(`mutation {
  updateServiceScaling(input: {@service-1, numReplicas: 2}) { service { name } userErrors { message } }
  createDashboard(input: {name: "x"}) { dashboard { id } userErrors { message } } }`);

/** What user errors of both interfaces say of an answer with status 400, and an error of a read. */
const shown = async (given: Answer): Promise<readonly string[]> => {
  answer = given;
  const { updateServiceScaling, createDashboard } = (await stack.query(write)).body.data;
  // Each issue about a member of the input is an error by itself.
  const refused = [updateServiceScaling, createDashboard].map(({ userErrors }) =>
    userErrors.map(({ message }: { readonly message: string }) => message).join(' '),
  );
  return [...refused, (await stack.query(read)).body.errors[0].message];
};
const alike = (message: string) => [message, message, message];

const text = (body: string, type = 'text/plain; charset=utf-8'): Answer => {
  return { status: 400, headers: { 'content-type': type }, body };
};
const problem = (body: object): Answer => text(JSON.stringify(body), 'application/problem+json');
const issue = { code: 'too_small', path: ['name'], message: 'String must not be empty' };
const other = { code: 'invalid', path: ['tiles', 0, 'w'], message: 'Expected number.' };
const said = 'name: String must not be empty.';
const both = `${said} tiles.0.w: Expected number.`;
const no = { errors: { issues: [{ path: [], message: 'No' }] } };

const bad = (body: unknown): Answer => json(body, 400);
const fields = { name: ['is empty', 'odd'] };

it.each<[title: string, answer: Answer, message: string | undefined]>([
  ['an object in error', bad({ error: { code: 7, message: 'too long' } }), 'too long.'],
  ['what a validator found', bad({ issues: [issue], name: 'ZodError' }), said],
  ['what it found in each part', bad([{ errors: { issues: [issue, other] } }, no]), `${both} No.`],
  ['a sentence and a list', bad({ message: 'Failed', errors: [issue] }), `Failed. ${said}`],
  ['messages by name', bad({ errors: fields }), 'name: is empty. name: odd.'],
  ['a JSON pointer', bad({ errors: [{ pointer: '#/tiles/0', detail: 'no' }] }), 'tiles.0: no.'],
  ['plain text', text('Not allowed\nfor you'), 'Not allowed.'],
  ['the details of a problem', problem({ title: 'Bad', detail: 'is empty' }), 'is empty.'],
  ['its issues', problem({ title: 'Bad', errors: [issue] }), `Bad. ${said}`],
  ['but not a page as plain text', text('<!DOCTYPE html>\n<pre>No</pre>'), undefined],
  ['but nothing without words', bad({ issues: [{ path: ['a'] }], leaky: 'leaky' }), undefined],
  ['but no lists in lists', bad(JSON.parse(`${'['.repeat(90)}"no"${']'.repeat(90)}`)), undefined],
  ['but no other members', bad({ status: 400, detail: 'upstream-words' }), undefined],
])('an error’s body is told, whatever form it has: %s', async (_, answer, message) => {
  const noWords = [
    'management answered updateServiceScaling with status 400.',
    'observability answered createDashboard with status 400.',
    'management answered getService with status 400.',
  ];
  expect(await shown(answer)).toEqual(message === undefined ? noWords : alike(message));
});

it.each<[sentence: string, message: string]>([
  [' One.\nTwo.\r\nThree.', 'One.'],
  ['red \u001b[31m and \u0000 nothing\u2028second', 'red  [31m and   nothing.'],
  // A code before it is left out, and what only looks like one is not.
  ['BAD_REQUEST: too long', 'too long.'],
  ['URL: must be https', 'URL: must be https.'],
  ['It said "No."', 'It said "No."'],
  [`BAD_REQUEST: ${'x'.repeat(600)}`, `${'x'.repeat(499)}.`],
])('an error’s body is told, whatever form it has: the sentence %j', async (sentence, message) => {
  // Each interface has a member of its own for a sentence.
  const body = { error: sentence, message: sentence };
  expect(await shown(json(body, 400))).toEqual(alike(message));
});

it('an error’s body is told, whatever form it has: without a stack, and without what the caller must keep to itself', async () => {
  const at = 'no at Leaky.render (/srv/leaky/app.js:10:5) at async file:///srv/leaky/main.mjs:3:1';
  const traced = { error: at, message: at, errors: [{ path: ['a'], message: at, stack: at }] };
  expect(await shown(json(traced, 400))).toEqual(alike('no. a: no.'));
  const quoting = { path: ['name'], message: 'bad: Bearer token-of-the-caller' };
  const [, told] = await shown(json({ issues: [quoting] }, 400));
  expect(told).toMatch(/^name: bad: (?!.*token-of)/);
});

const none = 'Variable "$v" got an invalid value;';
const got = 'Variable "$v" got invalid value "[\\"A\\"]"; ';
it.each<[message: string, words: string, reason?: string]>([
  ['Int cannot represent non-integer value: ["s"]', 'Int cannot represent non-integer value.'],
  ['String cannot represent a non string value: 12', 'String cannot represent a non string value.'],
  ['Value "s" s" does not exist in "E" enum.', 'The value does not exist in "E" enum.'],
  [
    'Variable "$v" got invalid value "s"; Words of a later graphql-js about "s".',
    'Variable "$v" got an invalid value; It does not fit its type.',
    'Words of a later graphql-js about "s".',
  ],
  [
    `${got}Value "["A"]" does not exist in "E" enum.`,
    `${none} The value does not exist in "E" enum.`,
    'Value "["A"]" does not exist in "E" enum.',
  ],
  [
    `${got}Field "a"b" is not defined by type "T".`,
    `${none} The field is not defined by type "T".`,
    'Field "a"b" is not defined by type "T".',
  ],
  [
    'Variable "$v" got invalid value { a: [{ b: "s" }] } at "v.a[0].b"; Int cannot represent non-integer value: "5"',
    `${none.replace(';', ' at "v.a[0].b";')} Int cannot represent non-integer value: "5"`,
    'Int cannot represent non-integer value: "5"',
  ],
  // Of graphql 17.
  [
    'Variable "$v" has invalid value at .a[0].b: Int cannot represent non-integer value: "5"',
    `${none.replace(';', ' at "v.a[0].b";')} Int cannot represent non-integer value: "5"`,
    'Int cannot represent non-integer value: "5"',
  ],
  ...[
    ['to be an object, found: "s".', 'to be an object.'],
    ['to include required field "b", found: { a: "s" }.', 'to include required field "b".'],
    [
      'not to include unknown field "nam". Did you mean "name"? Found: { nam: "s" }.',
      'not to include unknown field "nam". Did you mean "name"?',
    ],
    ['not to include unknown field "n", found: { n: "s" }.', 'not to include unknown field "n".'],
    ['not to include unknown field "s"s", found: {}.', 'not to include an unknown field.'],
    [', but encountered error "s"; found: "s".', '.'],
  ].map(([end, words]): [string, string, string] => [
    `Variable "$v" has invalid value: Expected value of type "T!" ${end}`.replace(' ,', ','),
    `${none} Expected value of type "T!" ${words}`.replace(' .', '.'),
    `Expected value of type "T!" ${end}`.replace(' ,', ','),
  ]),
  [
    'Expected value of type "T" to include required field "b", found: { a: "s" }.',
    'Expected value of type "T" to include required field "b".',
  ],
  [
    'Argument "Mutation.set(input:)" has invalid value at .a: Words of a later graphql-js about "s".',
    'Argument "Mutation.set(input:)" got an invalid value; It does not fit its type.',
  ],
  [
    'Variable "$v" has invalid default value: Value "s" does not exist in "E" enum.',
    `${none} It does not fit its type.`,
  ],
])(
  'a message of graphql-js is shown without the values that it quotes: %j as %j',
  (message, words, reason) => {
    expect(withoutQuotedInput(message, reason)).toBe(words);
  },
);

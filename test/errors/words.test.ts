import { afterEach, describe, expect, it } from 'vitest';
import { withoutQuotedInput } from '../../src/errors/quoted-input.ts';
import { type Answer, json, type Stack, startStack } from '../support/harness.ts';
import { withIds } from '../support/world/ids.ts';

let stack: Stack;
afterEach(() => stack.close());

const ids = withIds('organizationId: "organization-1", serviceId: "service-1"');
const read = `{ service(${ids}) { name } }`;
const write = `mutation {
  updateServiceScaling(input: {${ids}, numReplicas: 2}) { service { name } userErrors { message } }
  createDashboard(input: {name: "x"}) { dashboard { id } userErrors { message } }
}`;

const start = async (answer: Answer): Promise<void> => {
  stack = await startStack({ management: () => answer, observability: () => answer });
};

/** What user errors of both interfaces say of an answer with status 400, and an error of a read. */
const shown = async (answer: Answer): Promise<readonly string[]> => {
  await start(answer);
  const { body } = await stack.query(write);
  const { updateServiceScaling, createDashboard } = body.data;
  const refused = [updateServiceScaling, createDashboard].map(
    ({ userErrors }) => userErrors[0].message,
  );
  return [...refused, (await stack.query(read)).body.errors[0].message];
};
const alike = (message: string) => [message, message, message];
const noWords = [
  'management answered updateServiceScaling with status 400.',
  'observability answered createDashboard with status 400.',
  'management answered getService with status 400.',
];

const text = (body: string, type = 'text/plain; charset=utf-8', status = 400): Answer => ({
  ...{ status, headers: { 'content-type': type } },
  body,
});
const problem = (body: object): Answer => text(JSON.stringify(body), 'application/problem+json');
const issue = { code: 'too_small', path: ['name'], message: 'String must not be empty' };
const other = { code: 'invalid', path: ['tiles', 0, 'w'], message: 'Expected number.' };
const said = 'name: String must not be empty.';
const both = `${said} tiles.0.w: Expected number.`;

describe('an error’s body is told, whatever form it has:', () => {
  it.each<[title: string, body: unknown, message: string]>([
    ['a sentence in error', { error: 'name is too long' }, 'name is too long.'],
    ['an object in error', { error: { code: 7, message: 'too long' } }, 'too long.'],
    ['a list of messages', { message: ['too long', 'too wide'] }, 'too long. too wide.'],
    ['what a validator found', { issues: [issue], name: 'ZodError' }, said],
    [
      'what it found in each part of a request',
      [
        { errors: { issues: [issue, other] } },
        { errors: { issues: [{ path: [], message: 'No' }] } },
      ],
      `${both} No.`,
    ],
    ['what it found as text', { message: JSON.stringify([issue, other], null, 2) }, both],
    ['a sentence and a list', { message: 'Failed', errors: [issue] }, `Failed. ${said}`],
    ['messages by name', { errors: { name: ['is empty', 'odd'] } }, 'name: is empty. name: odd.'],
    ['a JSON pointer', { errors: [{ pointer: '#/tiles/0', detail: 'no' }] }, 'tiles.0: no.'],
    ['words alone', { errors: ['too long'] }, 'too long.'],
    ['its first line', { error: ' One.\nTwo.\r\nThree.' }, 'One.'],
    [
      'one line',
      { error: 'red \u001b[31m and \u0000 nothing\u2028second' },
      'red  [31m and   nothing.',
    ],
    ['without its code', { error: 'BAD_REQUEST: too long' }, 'too long.'],
    ['without a code of digits', { error: 'ERR_4012:  no such column.' }, 'no such column.'],
    ['with what only looks like a code', { error: 'Name: too long' }, 'Name: too long.'],
    ['with a short word in capitals', { error: 'URL: must be https' }, 'URL: must be https.'],
    ['with a code that is all there is', { error: 'BAD_REQUEST' }, 'BAD_REQUEST.'],
    ['with a later code', { error: 'It said CONFLICT: no' }, 'It said CONFLICT: no.'],
    ['with the second of two codes', { error: 'CONFLICT: BAD_REQUEST: no' }, 'BAD_REQUEST: no.'],
    ['with its own mark', { error: 'name is too long!' }, 'name is too long!'],
    ['with a full stop in quotation marks', { error: 'It said "No."' }, 'It said "No."'],
    ['with a full stop for a colon', { error: 'These are wrong:' }, 'These are wrong.'],
    ['in another script', { error: '名前が長すぎます。' }, '名前が長すぎます。'],
    ['within 500 characters', { error: `BAD_REQUEST: ${'x'.repeat(600)}` }, `${'x'.repeat(487)}.`],
    ['all of 499 characters', { error: 'y'.repeat(499) }, `${'y'.repeat(499)}.`],
    ['499 of more', { error: 'y'.repeat(501) }, `${'y'.repeat(499)}.`],
  ])('%s', async (_, body, message) => {
    // Each interface has a member of its own for a sentence.
    const { error } = body as { readonly error?: unknown };
    const told = typeof error === 'string' ? { error, message: error } : body;
    expect(await shown(json(told, 400))).toEqual(alike(message));
  });

  it.each<[title: string, answer: Answer, message: string]>([
    ['plain text', text('Not allowed\nfor you'), 'Not allowed.'],
    ['the details of a problem', problem({ title: 'Bad', detail: 'is empty' }), 'is empty.'],
    ['the title of a problem', problem({ type: 'about:blank', title: 'Bad' }), 'Bad.'],
    ['its issues', problem({ title: 'Bad', errors: [issue] }), `Bad. ${said}`],
  ])('%s', async (_, answer, message) => {
    expect(await shown(answer)).toEqual(alike(message));
  });

  it.each<[title: string, answer: Answer]>([
    ['a page', text('<html><p>No</p></html>', 'text/html')],
    ['a page as plain text', text('<!DOCTYPE html>\n<pre>No</pre>')],
    ['a page in a member', json({ error: '<p>No</p>', message: '<p>No</p>' }, 400)],
    ['a page in an issue', json([{ path: ['a'], message: 'see <body>' }], 400)],
    ['nothing to read', json({ issues: [{ path: ['a'] }], leaky: 'leaky' }, 400)],
    ['nothing behind the code', json({ error: 'BAD_REQUEST: ', message: 'BAD_REQUEST: ' }, 400)],
    ['lists in lists', json(JSON.parse(`${'['.repeat(90)}"no"${']'.repeat(90)}`), 400)],
  ])('but nothing of %s', async (_, answer) => {
    expect(await shown(answer)).toEqual(noWords);
  });

  it.each<[title: string, answer: Answer]>([
    ['a 500', json({ status: 500, error: 'upstream-words', message: 'upstream-words' }, 500)],
    ['a plain 503', text('upstream-words', 'text/plain', 503)],
    ['a 504 page', text('upstream-words', 'text/html', 504)],
    ['other members', json({ status: 403, detail: 'upstream-words' }, 403)],
    ['an error that is no text', json({ error: { a: 'upstream-words' } }, 403)],
  ])('nor of %s', async (_, answer) => {
    await start(answer);
    const [error] = (await stack.query(read)).body.errors;
    expect(error.message).toMatch(/management/);
    expect(error.message).not.toContain('upstream-words');
  });

  it('without a stack, and without what the caller must keep to itself', async () => {
    const at =
      'no at Leaky.render (/srv/leaky/app.js:10:5) at async file:///srv/leaky/main.mjs:3:1';
    const traced = { error: at, message: at, errors: [{ path: ['a'], message: at, stack: at }] };
    expect(await shown(json(traced, 400))).toEqual(alike('no. a: no.'));
    await stack.close();
    const quoting = { path: ['name'], message: 'bad: Bearer token-of-the-caller' };
    const [, told] = await shown(json({ issues: [quoting] }, 400));
    expect(told).toMatch(/^name: bad: (?!.*token-of)/);
  });
});

describe('the gateway’s own words about an input', () => {
  const uuid = 'must be a UUID (8-4-4-4-12 hexadecimal digits), got';

  it('are a sentence for each user error', async () => {
    await start(json({}));
    const { body } = await stack.query(`mutation {
      updateServiceScaling(input: {${ids}, numReplicas: 21, idleTimeoutMinutes: 4}) { userErrors { message } } }`);
    expect(body.data.updateServiceScaling.userErrors).toEqual([
      { message: 'numReplicas must be an integer from 1 to 20, got 21.' },
      { message: 'idleTimeoutMinutes must be an integer of at least 5, got 4.' },
    ]);
    expect(stack.calls).toEqual([]);
  });

  it('are sentences one after another where a query names several identifiers', async () => {
    await start(json({}));
    const { body } = await stack.query(
      '{ service(organizationId: "x", serviceId: "y") { name } node(nodeId: "z") { nodeId } }',
    );
    expect(body.errors.map(({ message }: { readonly message: string }) => message).sort()).toEqual([
      'nodeId must be the value of a nodeId field of this gateway, got "z".',
      `organizationId ${uuid} "x". serviceId ${uuid} "y".`,
    ]);
    expect(stack.calls).toEqual([]);
  });
});

describe('a message of graphql-js is shown without the values that it quotes:', () => {
  it.each([
    ['Int cannot represent non-integer value: 1.5', 'Int cannot represent non-integer value: 1.5'],
    ['Int cannot represent non-integer value: ["s"]', 'Int cannot represent non-integer value.'],
    [
      'String cannot represent a non string value: 12',
      'String cannot represent a non string value.',
    ],
    ['Value "s" s" does not exist in "E" enum.', 'The value does not exist in "E" enum.'],
    ['The words String "s" in no syntax error.', 'The words String "s" in no syntax error.'],
    [
      'Variable "$v" got invalid value "s"; Words of a later graphql-js about "s".',
      'Variable "$v" got an invalid value; It does not fit its type.',
    ],
  ])('%j as %j', (message, words) => {
    expect(withoutQuotedInput(message)).toBe(words);
  });
});

import { afterEach, describe, expect, it } from 'vitest';
import { type Answer, json, type Stack, startStack } from '../support/harness.ts';
import { withIds } from '../support/world/ids.ts';

let stack: Stack;
afterEach(() => stack.close());

const ids = withIds('organizationId: "organization-1", serviceId: "service-1"');

/** What mutations of both interfaces say of an answer with status 400. */
const refusals = async (answer: Answer): Promise<readonly string[]> => {
  stack = await startStack({ management: () => answer, observability: () => answer });
  const { body } = await stack.query(`mutation {
    updateServiceScaling(input: {${ids}, numReplicas: 2}) { userErrors { message } }
    createDashboard(input: {name: "x"}) { userErrors { message } }
  }`);
  const { updateServiceScaling, createDashboard } = body.data;
  return [updateServiceScaling, createDashboard].map(({ userErrors }) => userErrors[0].message);
};

const without = (operation: string, upstream: string): string =>
  `${upstream} answered ${operation} with status 400.`;
const noWords = [
  without('updateServiceScaling', 'management'),
  without('createDashboard', 'observability'),
];

const text = (body: string, type = 'text/plain; charset=utf-8'): Answer => ({
  status: 400,
  headers: { 'content-type': type },
  body,
});

const issue = { code: 'too_small', path: ['name'], message: 'String must not be empty' };
const other = { code: 'invalid', path: ['tiles', 0, 'w'], message: 'Expected number.' };

describe('an error’s body is told, whatever form it has:', () => {
  it.each<[string, unknown, string]>([
    ['a sentence in error', { error: 'name is too long' }, 'name is too long.'],
    ['a sentence in message', { message: 'name is too long' }, 'name is too long.'],
    ['an object in error', { error: { code: 7, message: 'too long' } }, 'too long.'],
    ['a list of messages', { message: ['too long', 'too wide'] }, 'too long. too wide.'],
    [
      'what a validator found',
      { issues: [issue], name: 'ZodError' },
      'name: String must not be empty.',
    ],
    [
      'what it found in each part of a request',
      [
        { type: 'Body', errors: { issues: [issue, other], name: 'ZodError' } },
        { type: 'Params', errors: { issues: [{ path: [], message: 'No id' }] } },
      ],
      'name: String must not be empty. tiles.0.w: Expected number. No id.',
    ],
    [
      'what it found as the text of its message',
      { message: JSON.stringify([issue, other], null, 2) },
      'name: String must not be empty. tiles.0.w: Expected number.',
    ],
    [
      'a sentence and a list',
      { message: 'Validation failed', errors: [issue] },
      'Validation failed. name: String must not be empty.',
    ],
    [
      'messages by name',
      { errors: { name: ['is empty', 'is odd'] } },
      'name: is empty. name: is odd.',
    ],
    ['a JSON pointer', { errors: [{ pointer: '#/tiles/0', detail: 'no' }] }, 'tiles.0: no.'],
    ['words alone', { errors: ['too long'] }, 'too long.'],
    [
      'no more than 500 characters',
      { errors: Array(90).fill(issue) },
      expect.stringMatching(/^.{499,500}$/),
    ],
  ])('%s', async (_, body, message) => {
    expect(await refusals(json(body, 400))).toEqual([message, message]);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['both', { title: 'Bad', detail: 'name is empty', status: 400 }, 'name is empty.'],
    ['a title', { type: 'about:blank', title: 'Not valid' }, 'Not valid.'],
    [
      'issues',
      { title: 'Not valid', errors: [issue] },
      'Not valid. name: String must not be empty.',
    ],
  ])('problem details with %s', async (_, body, message) => {
    const answer = text(JSON.stringify(body), 'application/problem+json');
    expect(await refusals(answer)).toEqual([message, message]);
  });

  it('plain text, its first line', async () => {
    expect(await refusals(text('Not allowed\nfor you'))).toEqual(['Not allowed.', 'Not allowed.']);
  });

  it.each<[string, Answer]>([
    ['a page', text('<html><p>No</p></html>', 'text/html')],
    ['a page as plain text', text('<!DOCTYPE html>\n<pre>No</pre>')],
    ['a page in a member', json({ error: '<p>No</p>', message: '<p>No</p>' }, 400)],
    ['a page in an issue', json([{ path: ['a'], message: 'see <body>' }], 400)],
    ['nothing to read', json({ issues: [{ path: ['a'] }], leaky: 'leaky' }, 400)],
    ['lists in lists', json(JSON.parse(`${'['.repeat(90)}"no"${']'.repeat(90)}`), 400)],
  ])('but nothing of %s', async (_, answer) => {
    expect(await refusals(answer)).toEqual(noWords);
  });

  it('without a stack', async () => {
    const at =
      'no at Leaky.render (/srv/leaky/app.js:10:5) at async file:///srv/leaky/main.mjs:3:1';
    const body = { error: at, message: at, errors: [{ path: ['a'], message: at, stack: at }] };
    expect(await refusals(json(body, 400))).toEqual(['no. a: no.', 'no. a: no.']);
  });

  it('without what the caller must keep to itself', async () => {
    const quoting = [{ path: ['name'], message: 'bad: Bearer token-of-the-caller' }];
    const [, told] = await refusals(json({ issues: quoting }, 400));
    expect(told).not.toContain('token-of');
    expect(told).toMatch(/^name: bad: /);
  });
});

import { afterEach, describe, expect, it } from 'vitest';
import { json, type Stack, startStack } from '../support/harness.ts';
import { withIds } from '../support/world/ids.ts';

let stack: Stack;
afterEach(() => stack.close());

const start = async (message: string, status = 400): Promise<void> => {
  stack = await startStack({
    management: () => json({ status, error: message }, status),
    observability: () => json({ message }, status),
  });
};

const create = 'createDashboard(input: {name: "x"}) { dashboard { id } userErrors { message } }';
const service = withIds('service(organizationId: "organization-1", serviceId: "service-1")');

/** What a mutation's user error, a mutation's error and a query's error make of an upstream's words. */
const shown = async (words: string): Promise<readonly string[]> => {
  await start(words);
  const { body: refused } = await stack.query(`mutation { ${create} }`);
  const { body: read } = await stack.query(`{ ${service} { name } }`);
  await stack.close();
  await start(words, 403);
  const { body: failed } = await stack.query(`mutation { ${create} }`);
  return [
    refused.data.createDashboard.userErrors[0].message,
    failed.errors[0].message,
    read.errors[0].message,
  ];
};

describe('an upstream’s words are shown', () => {
  it.each([
    [
      'as one line',
      ' red \u001b[31m and \u0000 nothing\u2028second line',
      'red  [31m and   nothing.',
    ],
    ['without its code', 'BAD_REQUEST: name is too long', 'name is too long.'],
    ['without a code of digits', 'ERR_4012:  no such column.', 'no such column.'],
    ['with what only looks like a code', 'Name: too long', 'Name: too long.'],
    ['with a short word in capitals', 'URL: must be https', 'URL: must be https.'],
    ['with a code that is all there is', 'BAD_REQUEST', 'BAD_REQUEST.'],
    ['with a later code', 'It said CONFLICT: no', 'It said CONFLICT: no.'],
    ['with the second of two codes', 'CONFLICT: BAD_REQUEST: no', 'BAD_REQUEST: no.'],
    ['with one full stop', 'name is too long.', 'name is too long.'],
    ['with their own mark', 'name is too long!', 'name is too long!'],
    ['with a full stop in quotation marks', 'It said "No."', 'It said "No."'],
    ['with a full stop for a colon', 'These are wrong:', 'These are wrong.'],
    ['in another script', '名前が長すぎます。', '名前が長すぎます。'],
    ['within 500 characters', `BAD_REQUEST: ${'x'.repeat(600)}`, `${'x'.repeat(487)}.`],
    ['within 500 characters with the full stop', 'y'.repeat(600), `${'y'.repeat(499)}.`],
  ])('%s', async (_, words, message) => {
    expect(await shown(words)).toEqual([message, message, message]);
  });

  it('nowhere where there are none behind the code', async () => {
    expect(await shown('BAD_REQUEST: ')).toEqual([
      'observability answered createDashboard with status 400.',
      'observability answered createDashboard with status 403.',
      'management answered getService with status 400.',
    ]);
  });

  it('apart from what the gateway adds to them', async () => {
    await start('NOT_FOUND: no such dashboard', 404);
    const { body } = await stack.query('{ dashboard(id: "d1") { name } }');
    expect(body.errors[0].message).toBe('no such dashboard.');
  });
});

describe('the gateway’s own words about an input', () => {
  const scale = withIds('organizationId: "organization-1", serviceId: "service-1"');

  it('are a sentence for each user error', async () => {
    await start('');
    const { body } = await stack.query(`mutation {
      updateServiceScaling(input: {${scale}, numReplicas: 21, idleTimeoutMinutes: 4}) { userErrors { message } } }`);
    expect(body.data.updateServiceScaling.userErrors).toEqual([
      { message: 'numReplicas must be an integer from 1 to 20, got 21.' },
      { message: 'idleTimeoutMinutes must be an integer of at least 5, got 4.' },
    ]);
    expect(stack.calls).toEqual([]);
  });

  it('are sentences one after another where a query names several identifiers', async () => {
    await start('');
    const { body } = await stack.query(
      '{ service(organizationId: "x", serviceId: "y") { name } node(nodeId: "z") { nodeId } }',
    );
    const messages = body.errors.map(({ message }: { readonly message: string }) => message);
    expect(messages.sort()).toEqual([
      'nodeId must be the value of a nodeId field of this gateway, got "z".',
      'organizationId must be a UUID (8-4-4-4-12 hexadecimal digits), got "x". serviceId must be a UUID (8-4-4-4-12 hexadecimal digits), got "y".',
    ]);
    expect(stack.calls).toEqual([]);
  });
});

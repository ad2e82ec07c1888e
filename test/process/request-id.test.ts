import { expect, it, onTestFinished } from 'vitest';
import { json, result, startStack } from '../support/harness.ts';

it.each([
  ['that the caller gives', { 'x-request-id': 'caller-7' }, /^caller-7$/],
  ['that the gateway makes', {}, /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/],
])(
  'an id %s joins the response, its errors, the log and the calls to both upstreams',
  async (_, headers, form) => {
    const stack = await startStack({
      management: () => result([]),
      observability: () => json({ message: 'no' }, 500),
    });
    onTestFinished(() => stack.close());
    const response = await stack.query('{ organizations { name } alerts { name } }', { headers });
    const id = response.headers.get('x-request-id');
    expect(id).toMatch(form);
    expect(response.body.errors).toMatchObject([{ extensions: { requestId: id } }]);
    const sent = stack.calls.map((call) => [call.upstream, call.headers['x-request-id']]);
    expect(sent.toSorted()).toEqual([
      ['management', id],
      ['observability', id],
    ]);
    const lines = stack.log().trim().split('\n');
    const logged = lines
      .map((line) => JSON.parse(line))
      .map(({ msg, requestId }) => [msg, requestId]);
    expect(logged).toEqual([
      ['upstream call failed', id],
      ['operation', id],
    ]);
  },
);

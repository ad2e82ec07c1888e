import { expect, it, onTestFinished } from 'vitest';
import { type Answer, data, json, startStack } from '../support/harness.ts';
import { organizationId, pipeId, serviceId } from '../support/profiles/cloud-records.ts';

const ids = `organizationId: "${organizationId}", serviceId: "${serviceId}", pipeId: "${pipeId}"`;

const deletePipe = async (answer: Answer) => {
  const stack = await startStack({
    management: () => answer,
    observability: () => data({}),
    config: { managementProfile: 'clickhouse-cloud' },
  });
  onTestFinished(() => stack.close());
  const { body } = await stack.query(
    `mutation { deletePipe(input: { ${ids} }) { deletedPipeId userErrors { code } } }`,
  );
  return body;
};

it('a deletion whose envelope tells of a failure is an error', async () => {
  const body = await deletePipe(json({ status: 403, error: 'no' }));
  expect(body.data).toEqual({ deletePipe: { deletedPipeId: null, userErrors: [] } });
  expect(body.errors).toMatchObject([{ extensions: { code: 'UPSTREAM_BAD_RESPONSE' } }]);
});

it.each([
  ['an envelope without a result', { status: 200 }],
  ['an envelope without a status', { requestId: 'one' }],
  ['an empty object', {}],
])('a deletion that is answered with %s has succeeded', async (_, envelope) => {
  expect(await deletePipe(json(envelope))).toEqual({
    data: { deletePipe: { deletedPipeId: pipeId, userErrors: [] } },
  });
});

it('an empty scalePipe is unavailable without the profile, and no bad input', async () => {
  const stack = await startStack({ management: () => json({}), observability: () => data({}) });
  onTestFinished(() => stack.close());
  const { body } = await stack.query(
    `mutation { scalePipe(input: { ${ids} }) { userErrors { code } } }`,
  );
  expect(body.errors).toMatchObject([{ extensions: { code: 'OPERATION_UNAVAILABLE' } }]);
  expect(stack.calls).toEqual([]);
});

import { expect, it, onTestFinished } from 'vitest';
import { type Answering, credentials, data, result, startStack } from '../support/harness.ts';

const team = credentials['observability-authorization'];
const ids = ['d0', 'd1', 'd2', 'd3'];
const page = `{ ${ids.map((id) => `${id}: dashboard(id: "${id}") { name }`).join(' ')} }`;

it('requests with invented credentials, which are not answered, take nothing from one that has had a success', async () => {
  const invented = { waiting: 0, ended: 0 };
  /** Answers the team, and lets calls wait whose credentials it does not know. */
  const observability: Answering = (call) => {
    if (call.headers.authorization === team) {
      const all = ids.map((id) => ({ id, name: 'of the team' }));
      return data(all.find(({ id }) => call.path.endsWith(`/${id}`)) ?? all);
    }
    invented.waiting += 1;
    call.onClose(() => {
      invented.ended += 1;
    });
    return new Promise(() => undefined);
  };
  const config = { upstreamConnections: 16, operationTimeoutMs: 600_000 };
  const stack = await startStack({ management: () => result([]), observability, config });
  onTestFinished(() => stack.close());
  const expectPage = async (): Promise<void> => {
    const { body } = await stack.query(page, { headers: { 'cache-control': 'no-cache' } });
    expect(body.errors).toBeUndefined();
    expect(Object.values(body.data)).toEqual(ids.map(() => ({ name: 'of the team' })));
  };
  await expectPage();
  for (let request = 0; request < 100; request += 1) {
    const headers = { 'observability-authorization': `Bearer invented-${request}` };
    // Nobody answers them: they end with the gateway.
    stack.query('{ alerts { name } }', { headers }).catch(() => undefined);
  }
  // All connections that are not for proven credentials are taken, and the other calls wait.
  await expect.poll(() => invented.waiting).toBe(12);
  for (const _ of [1, 2, 3]) await expectPage();
  expect(invented).toEqual({ waiting: 12, ended: 0 });
});

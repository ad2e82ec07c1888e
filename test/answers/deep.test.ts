import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Config } from '../../src/config.ts';
import { type Answering, json } from '../support/harness.ts';
import {
  createLiveWorld,
  openLive,
  pipeQuery,
  pipeSubscription,
  stopPipe,
} from '../support/live-world.ts';
import { subscribe } from '../support/subscribe.ts';

/** So deep that no function can walk it by calling itself. */
const nested = (inner: string): string => '['.repeat(100_000) + inner + ']'.repeat(100_000);

let stack: Awaited<ReturnType<typeof openLive>>;
const rejections: unknown[] = [];
const note = (reason: unknown): void => void rejections.push(reason);
beforeEach(() => process.on('unhandledRejection', note));
afterEach(async () => {
  await new Promise((resolve) => setImmediate(resolve));
  process.off('unhandledRejection', note);
  await stack.close();
  expect(rejections.splice(0)).toEqual([]);
});

/** An answer whose records have one more member than they should, as deep as that. */
const withDeepMember = (answer: { readonly body: string }) => ({
  ...json({}),
  body: answer.body.replace('"name":', `"new":${nested('')},"name":`),
});

/** The live world, whose answers are deep for as long as that is set. */
const start = async (config: Partial<Config> = {}) => {
  const deep = { isOn: false };
  const world = createLiveWorld();
  const deepened =
    (answering: Answering): Answering =>
    async (call) =>
      deep.isOn ? withDeepMember(await answering(call)) : answering(call);
  stack = await openLive({
    gateway: { pollMs: { management: 50, observability: 50 } },
    config: { managementRate: undefined, observabilityRate: undefined, ...config },
    management: deepened(world.management),
    observability: deepened(world.observability),
  });
  return deep;
};

it('an answer that is too deep where nobody looks is an error of its read, and streams go on', async () => {
  const deep = await start();
  const pipe = await subscribe(stack.url, pipeSubscription());
  await pipe.event(1);
  deep.isOn = true;
  const headers = { 'cache-control': 'no-cache' };
  const message = expect.stringMatching(/is nested more than 100 levels deep\.$/);
  const { body } = await stack.query(pipeQuery, { headers });
  expect(body).toMatchObject({
    data: { pipe: null },
    errors: [{ message, path: ['pipe'], extensions: { code: 'UPSTREAM_BAD_RESPONSE' } }],
  });
  // Polls meet it too.
  const before = stack.calls.length;
  await expect.poll(() => stack.calls.length).toBeGreaterThan(before + 1);
  deep.isOn = false;
  await stack.query(stopPipe());
  expect((await pipe.event(2)).data.pipe.state).toBe('Stopping');
  pipe.leave();
});

it.each([
  ['updateAlert', '{alertId: "a1", threshold: 2}'],
  ['updateDashboard', '{dashboardId: "d1", name: "new"}'],
])('%s sends nothing back of a record that is too deep', async (field, input) => {
  const deep = await start({ observabilityProfile: 'hyperdx' });
  deep.isOn = true;
  const { body } = await stack.query(
    `mutation { ${field}(input: ${input}) { userErrors { message } } }`,
  );
  expect(JSON.stringify(body)).toMatch(/nested more than 100 levels deep/);
  expect(stack.calls.map(({ method }) => method)).toEqual(['GET']);
});

it.each([200, 404])('a whole body that is too deep is an error, under %i', async (status) => {
  const body = `{"error":${nested('')},"message":${nested('')},"issues":${nested('{}')}}`;
  const deep = { ...json({}, status), body };
  stack = await openLive({ management: () => deep, observability: () => deep });
  const headers = { 'sluice-explain': '1' };
  const answer = await stack.query(`{ alerts { name } ${pipeQuery.slice(1)}`, { headers });
  expect(answer.body.errors.length).toBeGreaterThan(1);
  expect(stack.log()).not.toContain('unexpected error');
});

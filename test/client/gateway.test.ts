import '../support/client/built.ts';
import { expect, it } from 'vitest';
import { type ClientOptions, createClient, TypedDocumentString } from '../../client/src/index.ts';
import { LivePipeDocument, PipeDocument, StopPipeDocument } from '../../client/src/operations.ts';
import type { Config } from '../../src/config.ts';
import { credentials } from '../support/harness.ts';
import {
  ofService,
  openLive,
  organizationId,
  pipeIds,
  pipePath,
  serviceId,
} from '../support/live-world.ts';

const pipe = { organizationId, serviceId, pipeId: pipeIds[0] };
const readPipe = `GET ${pipePath()}`;
const own = (text: string) => new TypedDocumentString<object, Record<string, never>>(text);
const management = credentials['management-authorization'];

const start = async (options: Partial<ClientOptions> = {}, more: Partial<Config> = {}) => {
  const config = { managementRate: undefined, maxStreamsPerCredential: 1, ...more };
  const gateway = { pollMs: { management: 20, observability: 20 } };
  const stack = await openLive({ gateway, config });
  return { ...stack, client: createClient({ url: stack.url, management, ...options }) };
};

it('gives what is there, and each change; leaving the loop ends the stream', async () => {
  const { client, world, gateway } = await start();
  const states: unknown[] = [];
  for await (const event of client.subscribe(LivePipeDocument, pipe)) {
    expect(event).toMatchObject({ errors: [], status: 200 });
    expect(event.requestId).toMatch(/^[\w-]{20,}$/);
    states.push(event.data?.pipe?.state);
    if (states.length === 2) break;
    world.states[0] = 'Failed';
  }
  expect(states).toEqual(['Running', 'Failed']);
  await expect.poll(() => gateway.streams()).toEqual({ streams: 0, reads: 0, credentials: 0 });
});

it('asks a function for the credential again where the one before has run out, and fails for good with a 404', async () => {
  let asked = 0;
  const { world, client } = await start({
    management: () => {
      asked += 1;
      world.fail(readPipe, undefined);
      return management;
    },
  });
  const why: unknown[] = [];
  const onRetry = (error: unknown) => why.push(error);
  const events = client.subscribe(LivePipeDocument, pipe, { onRetry });
  await events.next();
  world.fail(readPipe, 401);
  expect(await events.next()).toMatchObject({ value: { errors: [{ code: 'UNAUTHENTICATED' }] } });
  expect(await events.next()).toMatchObject({ value: { data: { pipe: { state: 'Running' } } } });
  expect(asked).toBe(2);
  expect(why).toMatchObject([{ code: 'UNAUTHENTICATED' }]);

  world.fail(readPipe, 404);
  const value = { data: { pipe: null }, errors: [{ code: 'NOT_FOUND', path: ['pipe'] }] };
  expect(await events.next()).toMatchObject({ value });
  const failure = { name: 'SluiceError', code: 'NOT_FOUND', status: 200 };
  await expect(events.next()).rejects.toMatchObject(failure);
  expect(await events.next()).toEqual({ done: true, value: undefined });
  expect(world.failed).toEqual([readPipe, readPipe]);
});

it('ends where nothing can change, and fails at once where the gateway refuses it', async () => {
  const { client } = await start();
  const document = own(`subscription { organization(organizationId: "${organizationId}") { id } }`);
  const told: unknown[] = [];
  for await (const { data } of client.subscribe(document)) told.push(data);
  expect(told).toEqual([{ organization: { id: organizationId } }]);

  const one = client.subscribe(LivePipeDocument, pipe);
  await one.next();
  for (const [refused, code] of [
    [client.subscribe(LivePipeDocument, pipe), 'LIMIT_EXCEEDED'],
    [client.subscribe(own('subscription { nothing }')), 'GRAPHQL_VALIDATION_FAILED'],
  ] as const) {
    expect(await refused.next()).toMatchObject({ value: { data: null, errors: [{ code }] } });
    await expect(refused.next()).rejects.toMatchObject({ name: 'SluiceError', code });
  }
  await one.return();
});

it('untilWhole gives fuller answers, of reads that are sent once the rate allows', async () => {
  const managementRate = { calls: 2, windowMs: 1000 };
  const { client, callList } = await start({}, { managementRate, pacingWaitMs: 100 });
  const others = `organization(organizationId: "${organizationId}") { name } service(${ofService}) { name }`;
  const document = own(`{ pipe(${ofService}, pipeId: "${pipeIds[0]}") { state } ${others} }`);
  const read: number[] = [];
  for await (const answer of client.untilWhole(document)) {
    expect(answer.errors.length > 0).toBe(answer.extensions?.progress !== undefined);
    read.push(Object.values(answer.data ?? {}).filter(Boolean).length);
  }
  expect(read.length).toBeGreaterThan(1);
  expect(read).toEqual(read.toSorted((one, other) => one - other));
  expect(read.at(-1)).toBe(3);
  expect(new Set(callList()).size).toBe(3);
});

it('takes no document but a subscription; untilWhole takes no mutation', () => {
  const client = createClient({ url: '/graphql' });
  expect(() => client.subscribe(PipeDocument, pipe)).toThrow('The document has no subscription');
  expect(() => client.untilWhole(StopPipeDocument, { input: pipe })).toThrow(
    new TypeError('The document has a mutation'),
  );
});

import '../support/client/built.ts';
import { getEventListeners } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { createClient, type SluiceError, TypedDocumentString } from '../../client/src/index.ts';
import { LivePipeDocument, PipeDocument } from '../../client/src/operations.ts';
import { credentials } from '../support/harness.ts';
import { organizationId, pipeIds, pipePath, serviceId, startLive } from '../support/live-world.ts';
import { until } from '../support/process/run-main.ts';

const pipe = { organizationId, serviceId, pipeId: pipeIds[0] };
const nothing = { streams: 0, reads: 0, credentials: 0 };

let stack: Awaited<ReturnType<typeof startLive>>;
afterEach(() => stack.close());

const start = async (config: Parameters<typeof startLive>[0] = {}) => {
  stack = await startLive({
    gateway: { pollMs: { management: 20, observability: 20 } },
    ...config,
    config: { managementRate: undefined, ...config.config },
  });
  const client = createClient({
    url: stack.url,
    management: credentials['management-authorization'],
  });
  return { client, world: stack.world };
};

const isOver = () =>
  until(() => JSON.stringify(stack.gateway.streams()) === JSON.stringify(nothing));

describe('client.subscribe, against the gateway', () => {
  it('gives what is there, and each change; leaving the loop ends the stream', async () => {
    const { client, world } = await start();
    const states: unknown[] = [];
    for await (const { data, errors, requestId, status } of client.subscribe(
      LivePipeDocument,
      pipe,
    )) {
      expect({ errors, status }).toEqual({ errors: [], status: 200 });
      expect(requestId).toMatch(/^[\w-]{20,}$/);
      states.push(data?.pipe?.state);
      if (states.length === 2) break;
      world.states[0] = 'Failed';
    }
    expect(states).toEqual(['Running', 'Failed']);
    await isOver();
  });

  it('sends nothing before it is asked for', async () => {
    const { client } = await start();
    const events = client.subscribe(LivePipeDocument, pipe);
    expect(await events.return()).toEqual({ done: true, value: undefined });
    expect(await events.next()).toEqual({ done: true, value: undefined });
    expect(stack.calls).toEqual([]);
  });

  it('return() ends it while an event is awaited', async () => {
    const { client } = await start();
    const events = client.subscribe(LivePipeDocument, pipe);
    await events.next();
    const waiting = events.next();
    await events.return();
    expect(await waiting).toEqual({ done: true, value: undefined });
    await isOver();
  });

  it("a signal ends it with the signal's own reason, and keeps no listener", async () => {
    const { client } = await start();
    const controller = new AbortController();
    const reason = new Error('The user has left');
    const events = client.subscribe(LivePipeDocument, pipe, controller);
    await events.next();
    const waiting = events.next();
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    expect(await events.next()).toEqual({ done: true, value: undefined });
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    await isOver();
    const late = client.subscribe(LivePipeDocument, pipe, controller);
    await expect(late.next()).rejects.toBe(reason);
  });

  it.each([
    [404, 'NOT_FOUND'],
    [403, 'FORBIDDEN'],
    [401, 'UNAUTHENTICATED'],
  ])('shows a %i as an event, and fails for good with %s', async (status, code) => {
    const { client, world } = await start();
    const events = client.subscribe(LivePipeDocument, pipe);
    await events.next();
    world.fail(`GET ${pipePath()}`, status);
    expect(await events.next()).toMatchObject({
      value: { data: { pipe: null }, errors: [{ code, path: ['pipe'] }] },
    });
    await expect(events.next()).rejects.toMatchObject({ name: 'SluiceError', code, status: 200 });
    expect(await events.next()).toEqual({ done: true, value: undefined });
    expect(world.failed).toHaveLength(1);
  });

  it.each([
    [404, 'NOT_FOUND'],
    [403, 'FORBIDDEN'],
    [401, 'UNAUTHENTICATED'],
  ])(
    'shows a first event with a %i in all that was read of it, and fails for good with %s',
    async (status, code) => {
      const { client, world } = await start();
      const servicesPath = `/v1/organizations/${organizationId}/services`;
      world.fail(`GET ${servicesPath}`, status);
      const events = client.subscribe(
        new TypedDocumentString<unknown, Record<string, never>>(
          `subscription { organization(id: "${organizationId}") { id services { name } } }`,
        ),
      );
      expect(await events.next()).toMatchObject({
        value: {
          data: { organization: { id: organizationId, services: null } },
          errors: [{ code }],
        },
      });
      await expect(events.next()).rejects.toMatchObject({ name: 'SluiceError', code });
      expect(world.failed).toEqual([`GET ${servicesPath}`]);
    },
  );

  it('ends without an error where nothing can change', async () => {
    const { client } = await start();
    const events = client.subscribe(
      new TypedDocumentString<unknown, Record<string, never>>(
        `subscription { organization(id: "${organizationId}") { id } }`,
      ),
    );
    expect(await events.next()).toMatchObject({
      value: { data: { organization: { id: organizationId } } },
    });
    expect(await events.next()).toEqual({ done: true, value: undefined });
  });

  it('fails at once where the gateway refuses it', async () => {
    const { client } = await start({ config: { maxStreamsPerCredential: 1 } });
    const one = client.subscribe(LivePipeDocument, pipe);
    await one.next();
    const another = client.subscribe(LivePipeDocument, pipe);
    const odd = new TypedDocumentString<unknown, Record<string, never>>('subscription { nothing }');
    expect(await failureOf(another)).toMatchObject({ code: 'LIMIT_EXCEEDED' });
    expect(await failureOf(client.subscribe(odd))).toMatchObject({
      code: 'GRAPHQL_VALIDATION_FAILED',
    });
    await one.return();
  });

  it('asks a function for the credential again where the one before has run out', async () => {
    const { world } = await start();
    const given: string[] = [];
    const client = createClient({
      url: stack.url,
      management: () => {
        given.push('asked');
        world.fail(`GET ${pipePath()}`, undefined);
        return credentials['management-authorization'];
      },
    });
    const why: (SluiceError | undefined)[] = [];
    const onRetry = (error: SluiceError | undefined) => why.push(error);
    const events = client.subscribe(LivePipeDocument, pipe, { onRetry });
    await events.next();
    world.fail(`GET ${pipePath()}`, 401);
    expect(await events.next()).toMatchObject({ value: { errors: [{ code: 'UNAUTHENTICATED' }] } });
    expect(await events.next()).toMatchObject({ value: { data: { pipe: { state: 'Running' } } } });
    expect(given).toEqual(['asked', 'asked']);
    expect(why).toMatchObject([{ code: 'UNAUTHENTICATED' }]);
    await events.return();
  });

  it('takes no document but a subscription', async () => {
    const { client } = await start();
    expect(() => client.subscribe(PipeDocument, pipe)).toThrow(
      new TypeError('The document has no subscription'),
    );
  });
});

const failureOf = async (events: AsyncIterable<unknown>): Promise<unknown> => {
  try {
    for await (const event of events) void event;
  } catch (error) {
    return error;
  }
  return 'It did not fail';
};

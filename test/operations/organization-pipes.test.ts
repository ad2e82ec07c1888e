import { describe, expect, it, onTestFinished } from 'vitest';
import type { Config } from '../../src/config.ts';
import { answering, noSuchThing } from '../support/answering.ts';
import { type Answer, json, paced, result, startStack } from '../support/harness.ts';
import { askInParts } from '../support/in-parts.ts';
import { stopTime } from '../support/pacing/time.ts';
import { withIds, withNames } from '../support/world/ids.ts';
import { numbers, pipeOf } from '../support/world/worlds.ts';

const organization = withIds('organization(id: "organization-1")');
const services = withIds('GET /v1/organizations/organization-1/services');
const pipesPath = (number: number, segment = 'pipes') =>
  withIds(`${services}/service-${number}/${segment}`);

const unread = 'unreadServices { service { name } code message retryAfterSeconds }';
const everything = `{ ${organization} { pipes { totalCount items { name service { name } } ${unread} } } }`;

const serviceOf = (number: number) => ({
  id: withIds(`service-${number}`),
  name: `Service ${number}`,
});

/** What each service's pipes are answered with; one pipe of its own where nothing is said. */
type Replies = Readonly<Record<number, Answer | (() => Promise<Answer>)>>;

interface Options {
  readonly count?: number;
  readonly config?: Partial<Config>;
  readonly segment?: string;
  readonly list?: Answer;
}

/** An organization of so many services, each with the pipe of its number. */
const start = async (
  replies: Replies = {},
  { count = 3, config = {}, segment = 'pipes', list }: Options = {},
) => {
  const own = numbers(count).map((number) => {
    const reply = replies[number] ?? result([pipeOf(number)]);
    return [pipesPath(number, segment), reply] as const;
  });
  const lists = { [services]: list ?? result(numbers(count).map(serviceOf)) };
  const byPath = new Map(own);
  const others = answering(lists);
  const stack = await startStack({
    management: (call) => {
      const reply = byPath.get(`${call.method} ${call.path}`);
      if (!reply) return others(call);
      return typeof reply === 'function' ? reply() : reply;
    },
    observability: () => noSuchThing,
    config: { maxRetries: 0, breakerFailures: 1_000_000, ...config },
  });
  onTestFinished(() => stack.close());
  /** The calls so far, and forgets them. */
  const calls = (): readonly string[] => {
    const made = stack.callList().map(withNames);
    stack.calls.length = 0;
    return made;
  };
  return { stack, calls };
};

const callsOf = (...numbersOfServices: readonly number[]): readonly string[] =>
  [services, ...numbersOfServices.map((number) => pipesPath(number))].map(withNames);

const shownPipe = (number: number) => ({
  name: `Pipe ${number}`,
  service: { name: `Service ${number}` },
});

const refused = (status: number, error: string, headers = {}): Answer => {
  const answer = json({ status, error, requestId: 'r-1' }, status);
  return { ...answer, headers: { ...answer.headers, ...headers } };
};

const asleep = refused(424, 'the service is idle');
const forbidden = refused(403, 'FORBIDDEN: not for this key');

describe('the pipes of an organization', () => {
  it('are read with one call a service, and again without any while they are fresh', async () => {
    const clock = stopTime();
    const { stack, calls } = await start({}, { config: paced });
    for (const expected of [callsOf(1, 2, 3), []]) {
      const { body } = await clock.until(stack.query(everything));
      const pipes = { totalCount: 3, items: [1, 2, 3].map(shownPipe), unreadServices: [] };
      expect(body).toEqual({ data: { organization: { pipes } } });
      expect(calls()).toEqual(expected);
    }
  });

  it('are filtered, and counted as filtered, over the same reads', async () => {
    const { stack, calls } = await start({
      2: result([pipeOf(2), pipeOf(4)]),
      3: asleep,
    });
    const { body } = await stack.query(`{ ${organization} {
      stopped: pipes(filter: { state: "stopped" }) { totalCount items { name } unreadServices { code } }
      running: pipes(filter: { phaseIn: RUNNING, nameContains: "1" }) { totalCount items { id } }
      none: pipes(filter: { source: MYSQL }) { totalCount items { id } }
      services { pipes { id } }
    } }`);
    const { stopped, running, none } = body.data.organization;
    expect(stopped).toEqual({
      totalCount: 2,
      items: [{ name: 'Pipe 2' }, { name: 'Pipe 4' }],
      unreadServices: [{ code: 'SERVICE_NOT_RUNNING' }],
    });
    expect(running).toEqual({ totalCount: 1, items: [{ id: withIds('pipe-1') }] });
    expect(none).toEqual({ totalCount: 0, items: [] });
    expect(calls()).toEqual(callsOf(1, 2, 3));
  });

  it('lack those of a service that sleeps, is forbidden or gets no slot, which says so', async () => {
    const clock = stopTime();
    // The list, and three of the four services.
    const managementRate = { calls: 4, windowMs: 60_000 };
    const { stack, calls } = await start(
      { 2: asleep, 3: forbidden },
      { count: 4, config: { managementRate } },
    );
    const { body } = await clock.until(stack.query(everything));
    expect(body.errors).toBeUndefined();
    expect(body.data.organization.pipes).toEqual({
      totalCount: 1,
      items: [shownPipe(1)],
      unreadServices: [
        {
          service: { name: 'Service 2' },
          code: 'SERVICE_NOT_RUNNING',
          message: 'The service is not running: the service is idle.',
          retryAfterSeconds: null,
        },
        {
          service: { name: 'Service 3' },
          code: 'FORBIDDEN',
          message: 'not for this key.',
          retryAfterSeconds: null,
        },
        {
          service: { name: 'Service 4' },
          code: 'RATE_LIMITED',
          message: expect.stringMatching(/ 60 s\.$/),
          retryAfterSeconds: 60,
        },
      ],
    });
    expect(calls()).toEqual(callsOf(1, 2, 3));
  });

  it.each<readonly [code: string, reply: Answer]>([
    ['SERVICE_NOT_RUNNING', asleep],
    ['UPSTREAM_UNAVAILABLE', refused(503, 'down', { 'retry-after': '2.5' })],
    ['UPSTREAM_UNAVAILABLE', { ...result([pipeOf(2)]), isCutOff: true }],
    ['OPERATION_UNAVAILABLE', { status: 404, body: '<h1>404</h1>' }],
  ])('say of a service what its error says: %s', async (code, reply) => {
    const { stack } = await start({ 2: reply });
    const { body } = await stack.query(
      `{ ${organization} { pipes { items { id } ${unread} } services { pipes { id } } } }`,
    );
    const { pipes } = body.data.organization;
    expect(pipes.items).toEqual([{ id: withIds('pipe-1') }, { id: withIds('pipe-3') }]);
    const [{ path, message, extensions }, ...others] = body.errors;
    expect([path, others]).toEqual([['organization', 'services', 1, 'pipes'], []]);
    const { retryAfterSeconds = null } = extensions;
    expect(pipes.unreadServices).toEqual([
      { service: { name: 'Service 2' }, code, message, retryAfterSeconds },
    ]);
    expect(extensions.code).toBe(code);
  });

  it('say of a service with an unusable identifier what its error says', async () => {
    const odd = { id: '../../keys', name: 'Odd' };
    const { stack, calls } = await start({}, { list: result([odd, serviceOf(1)]) });
    const { body } = await stack.query(
      `{ ${organization} { pipes { totalCount ${unread} } services { pipes { id } } } }`,
    );
    const { code, message } = body.data.organization.pipes.unreadServices[0];
    expect(body.data.organization.pipes.totalCount).toBe(1);
    expect(code).toBe('UPSTREAM_BAD_RESPONSE');
    expect(body.errors).toMatchObject([{ message, extensions: { code } }]);
    expect(calls()).toEqual(callsOf(1));
  });

  it('are there of all services that answer within the time of the operation', async () => {
    const clock = stopTime();
    const { promise, resolve } = Promise.withResolvers<Answer>();
    const { stack } = await start({ 1: () => promise });
    const { body } = await clock.until(stack.query(everything));
    resolve(result([]));
    expect(body.errors).toBeUndefined();
    expect(body.data.organization.pipes).toMatchObject({
      items: [2, 3].map(shownPipe),
      unreadServices: [{ service: { name: 'Service 1' }, code: 'UPSTREAM_TIMEOUT' }],
    });
  });
});

describe('the pipes of an organization fail as a whole', () => {
  const fails = async (
    { stack }: Awaited<ReturnType<typeof start>>,
    code: string,
    headers: Readonly<Record<string, string>> = {},
  ) => {
    const { body } = await stack.query(everything, { headers });
    expect(body.data).toEqual({ organization: { pipes: null } });
    expect(body.errors).toMatchObject([{ path: ['organization', 'pipes'], extensions: { code } }]);
  };

  it('without a credential, and without a call', async () => {
    const world = await start();
    await fails(world, 'UNAUTHENTICATED', { 'management-authorization': '' });
    expect(world.calls()).toEqual([]);
  });

  it('where the credential is refused for one of them', async () => {
    await fails(await start({ 2: refused(401, 'unknown key') }), 'UNAUTHENTICATED');
  });

  it('where the list of services fails', async () => {
    const world = await start({}, { list: refused(500, 'broken') });
    await fails(world, 'UPSTREAM_ERROR');
    expect(world.calls()).toEqual(callsOf());
  });

  it('where extended reads are off, without a call', async () => {
    const world = await start({}, { config: { extendedReads: false } });
    await fails(world, 'OPERATION_UNAVAILABLE');
    expect(world.calls()).toEqual([]);
  });

  it('where the answers are more bytes than an operation may read', async () => {
    const large = { 2: result([{ ...pipeOf(2), note: 'x'.repeat(5000) }]) };
    const world = await start(large, { config: { maxUpstreamBytes: 4000 } });
    await fails(world, 'UPSTREAM_BUDGET_EXCEEDED');
  });
});

it('with the profile clickhouse-cloud, a sleeping service says how to wake it', async () => {
  const { stack, calls } = await start(
    { 1: asleep },
    { config: { managementProfile: 'clickhouse-cloud' }, segment: 'clickpipes' },
  );
  const { body } = await stack.query(everything);
  expect(body.data.organization.pipes).toMatchObject({
    items: [2, 3].map(shownPipe),
    unreadServices: [
      { code: 'SERVICE_NOT_RUNNING', message: expect.stringContaining('Use wakeService') },
    ],
  });
  expect(calls()).toEqual(
    [services, ...[1, 2, 3].map((number) => pipesPath(number, 'clickpipes'))].map(withNames),
  );
});

it('the pipes of an organization may come in a later part', async () => {
  const { stack, calls } = await start({ 2: asleep });
  const document = `{ ${organization} { serviceCount ... @defer { pipes { items { name } unreadServices { code } } } } }`;
  const [first, ...later] = await askInParts(stack, document).ended;
  expect(first).toMatchObject({ data: { organization: { serviceCount: 3 } }, hasNext: true });
  expect(later.flatMap(({ incremental = [] }) => incremental)).toEqual([
    {
      path: ['organization'],
      data: {
        pipes: {
          items: [{ name: 'Pipe 1' }, { name: 'Pipe 3' }],
          unreadServices: [{ code: 'SERVICE_NOT_RUNNING' }],
        },
      },
    },
  ]);
  expect(calls()).toEqual(callsOf(1, 2, 3));
});

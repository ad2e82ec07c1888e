import { describe, expect, it } from 'vitest';
import type { Config } from '../../src/config.ts';
import { request } from '../agents/agent.ts';
import { live } from '../operations/table.ts';
import {
  type Answer,
  type AnswerError,
  credentials,
  json,
  paced,
  result,
  type Stack,
  stackInTest,
} from '../support/harness.ts';
import { askInParts, assembled } from '../support/in-parts.ts';
import { textOf } from '../support/operations.ts';
import { stopTime } from '../support/pacing/time.ts';
import { createBackend } from '../support/world/backend.ts';
import { withIds, withNames } from '../support/world/ids.ts';
import { numbers, worldOf } from '../support/world/worlds.ts';

const servicesPath = '/v1/organizations/organization-1/services';
const pipesPath = (number: number): string => `${servicesPath}/service-${number}/pipes`;

const page = withIds(
  '{ organization(organizationId: "organization-1") { services { id pipes { name } } } }',
);
const stopPipe = (number: number) =>
  withIds(
    `mutation { stopPipe(input: { @service-${number}, pipeId: "pipe-${number}" }) { userErrors { message } } }`,
  );

const failing = (status: number, seconds: number): Answer => {
  const answer = json({ status, error: 'no' }, status);
  return { ...answer, headers: { ...answer.headers, 'retry-after': `${seconds}` } };
};

/** Answers the call with that number in place of the world, where it gives an answer. */
type AnswerTo = (number: number, path: string) => Answer | undefined | Promise<Answer | undefined>;
interface Options {
  readonly services: number;
  readonly config?: Partial<Config>;
  readonly answer?: AnswerTo;
}

/** A gateway with its rate limits, in front of an organization of many services with one pipe each. */
const start = async ({ services, config, answer }: Options) => {
  const clock = stopTime();
  const backend = createBackend(worldOf({ services }));
  const started = performance.now();
  /** The calls of management: their paths, after the method if that is not GET, and the whole seconds until they came. */
  const sent: { readonly path: string; readonly second: number }[] = [];
  const stack = await stackInTest({
    ...backend,
    management: async (call) => {
      const name = withNames(call.path);
      const path = call.method === 'GET' ? name : `${call.method} ${name}`;
      const number = sent.push({ path, second: Math.floor((performance.now() - started) / 1000) });
      return (await answer?.(number, path)) ?? backend.management(call);
    },
    config: { ...paced, ...config },
  });
  const query = (document: string, options?: Parameters<Stack['query']>[1]) =>
    clock.until(stack.query(document, options));
  const paths = () => sent.map(({ path }) => path);
  const pass = (seconds: number) =>
    clock.until(new Promise((resolve) => setTimeout(resolve, seconds * 1000)));
  const view = async () => (await query(page)).body;
  return {
    ...{ clock, stack, sent, query, paths, pass, view },
    /** The page, asked for this number of seconds after the beginning. */
    viewAt: async (seconds: number) => {
      await pass(seconds - (performance.now() - started) / 1000);
      return view();
    },
    /** Reloads the page until it is whole, five seconds after each answer; three times at most. */
    untilWhole: async () => {
      for (let views = 1; (await view()).errors; views += 1) {
        expect(views).toBeLessThan(3);
        await pass(5);
      }
    },
    /** When each path was read first. */
    firsts: () => sent.filter(({ path }, index) => paths().indexOf(path) === index),
  };
};

type Body = Awaited<ReturnType<Awaited<ReturnType<typeof start>>['view']>>;

/** The numbers of the services whose pipes a page shows. */
const shownIn = ({ data }: Body): readonly number[] =>
  data.organization.services.flatMap(({ pipes }: { pipes: unknown }, index: number) =>
    pipes === null ? [] : [index + 1],
  );
const codesIn = ({ errors = [] }: Body) =>
  errors.map((error: AnswerError) => error.extensions.code);

describe('a page that needs more calls than fit its time', () => {
  it('shows what there is, and tells how far it is, and when the rest can be there', async () => {
    const { view, sent } = await start({ services: 40 });
    const body = await view();
    // Eight of ten slots at once, and eight in each of the two windows that fit 25 seconds. One of them was the list.
    expect(sent).toHaveLength(24);
    expect(shownIn(body)).toEqual(numbers(23));
    expect(body.extensions).toEqual({ progress: { ready: 24, wanted: 41, completeInSeconds: 30 } });
    const told = (body.errors as readonly AnswerError[])
      .toSorted((one, other) => Number(one.path[2]) - Number(other.path[2]))
      .map(({ extensions }) => extensions);
    expect(told).toEqual(
      numbers(17).map((number) => ({
        code: 'RATE_LIMITED',
        upstream: { name: 'management', operation: 'listPipes' },
        retryable: true,
        // Some time has passed since they were refused: eight are next, then eight more, then the last.
        retryAfterSeconds: number <= 8 ? 10 : number <= 16 ? 20 : 30,
        requestId: expect.any(String),
      })),
    );
  });

  it('is whole after some reloads of several viewers, with each read sent once until then, and fresh in turn afterwards', async () => {
    const { stack, clock, untilWhole, paths, pass, view } = await start({ services: 40 });
    const others = [stack.query(page), stack.query(`${page} `)];
    await untilWhole();
    await clock.until(Promise.all(others));
    const first = paths().slice(0, 41);
    expect(first.toSorted()).toEqual([servicesPath, ...numbers(40).map(pipesPath)].toSorted());

    await pass(15);
    expect((await view()).errors).toBeUndefined();
    await pass(40);
    // What was read longest ago was read anew first.
    const renewed = paths()
      .slice(41)
      .filter((path) => path.endsWith('/pipes'));
    expect(renewed.slice(0, 20)).toEqual(first.slice(1, 21));
    expect(new Set(renewed).size).toBe(renewed.length);
  });

  /** How many pipes a view shows, how far it is, and with which errors. */
  const told = (body: Body): string => {
    const { ready, wanted, completeInSeconds } = body.extensions?.progress ?? {};
    const shown = body.data.organization.services ? shownIn(body).length : 'nothing';
    const progress = ready && `(${ready} of ${wanted} in ${completeInSeconds} s)`;
    return [shown, progress, ...new Set(codesIn(body))].filter((each) => each).join(' ');
  };
  /** What is told of each view after this number of seconds. */
  interface Row {
    readonly title: string;
    readonly services: number;
    readonly config?: Options['config'];
    /** Whether the page is reloaded until it is whole, before all views. */
    readonly isWholeFirst?: boolean;
    /** The answer to the call of this number. */
    readonly failure?: readonly [call: number, Answer];
    readonly views: readonly (readonly [seconds: number, told: string])[];
    /** The seconds that pass afterwards. */
    readonly after?: number;
    readonly calls: number;
  }
  const refused = 'nothing RATE_LIMITED';
  it.each<Row>([
    {
      title: 'is shown for twice the 51 seconds in which all of it is read once',
      ...{ services: 40, failure: [42, failing(429, 300)], calls: 42 },
      isWholeFirst: true,
      views: [
        [70, '40'],
        [100, '40'],
        [104, refused],
      ],
    },
    {
      title: 'is shown no longer than MAX_STALE_SECONDS',
      ...{ services: 1, config: { maxStaleMs: 20_000 }, failure: [3, failing(429, 300)], calls: 3 },
      views: [
        [0, '1'],
        [19, '1'],
        [21, refused],
      ],
    },
    {
      title: 'is not read on where nothing is kept',
      ...{ services: 40, config: { readCacheBytes: 0 }, after: 60, calls: 24 },
      views: [[0, '23 RATE_LIMITED']],
    },
    {
      title: 'is not read on where nothing old is shown',
      ...{ services: 40, config: { maxStaleMs: 0 }, after: 60, calls: 24 },
      views: [[0, '23 RATE_LIMITED']],
    },
    {
      title: 'is read no further once the credential is refused',
      ...{ services: 100, failure: [24, failing(401, 1)], after: 60, calls: 24 },
      views: [[0, '22 (24 of 101 in 100 s) RATE_LIMITED UNAUTHENTICATED']],
    },
    {
      title: 'counts what was answered 429 as missing, and reads it in the background',
      ...{ services: 3, failure: [2, failing(429, 40)], after: 45, calls: 5 },
      views: [[0, '2 (3 of 4 in 40 s) RATE_LIMITED']],
    },
    {
      title: 'may be read on, though an operation may send fewer calls',
      ...{ services: 20, config: { maxUpstreamCalls: 3 }, views: [[0, '20']], calls: 21 },
    },
    {
      title: 'that is not whole may be read on too',
      ...{ services: 40, config: { maxUpstreamCalls: 5 }, calls: 24 },
      views: [[0, '23 (24 of 41 in 30 s) RATE_LIMITED']],
    },
  ])(
    '$title',
    async ({ services, config = {}, failure, isWholeFirst, views, after = 0, calls }) => {
      const answer: AnswerTo = (call) => (call === failure?.[0] ? failure[1] : undefined);
      const { view, viewAt, untilWhole, pass, sent } = await start({ services, config, answer });
      if (isWholeFirst) await untilWhole();
      for (const [seconds, expected] of views) {
        expect(told(await (seconds > 0 ? viewAt(seconds) : view()))).toBe(expected);
      }
      await pass(after);
      expect(sent).toHaveLength(calls);
    },
  );

  it('is read on for a minute after somebody has asked for it last, and no longer', async () => {
    const { pass, view, sent, firsts } = await start({ services: 100 });
    // It takes 20 seconds.
    await view();
    await view();
    await pass(60);
    const before = sent.length;
    expect(firsts().at(-1)?.second).toBeGreaterThanOrEqual(70);
    await pass(60);
    expect(sent.length).toBe(before);
    expect(before).toBeLessThan(80);
  });

  it.each([
    ['no further', 8, '/graphql', { query: page }],
    ['no further', 8, '/mcp', request('tools/call', { name: 'list_pipes', arguments: {} })],
    // One call finds the organization. The eight in the first window are the same for both requests.
    ['on for another request', 41, '/mcp', request('tools/call', { name: 'list_pipes' })],
  ])(
    'is read %s once its request was left before its answer: %d calls, %s',
    async (how, calls, path, body) => {
      const { stack, clock, pass, sent } = await start({ services: 39, config: { mcp: 'read' } });
      const leaving = new AbortController();
      const left = fetch(new URL(path, stack.url), {
        ...{ method: 'POST', signal: leaving.signal, body: JSON.stringify(body) },
        headers: { ...credentials, 'content-type': 'application/json' },
      });
      const ended = expect(left).rejects.toThrow('abort');
      const other = how.startsWith('on') && stack.query(page);
      await pass(5);
      expect(sent).toHaveLength(8);
      leaving.abort();
      await ended;
      if (other) await clock.until(other);
      await pass(55);
      expect(sent).toHaveLength(calls);
    },
  );

  it('is read on for MAX_STALE_SECONDS at most, until somebody asks again', async () => {
    const { pass, view, sent, firsts } = await start({
      services: 100,
      config: { maxStaleMs: 40_000 },
    });
    await view();
    await pass(35);
    expect(sent.at(-1)?.second).toBeLessThanOrEqual(40);
    await view();
    const before = firsts().length;
    await pass(15);
    expect(firsts().length).toBeGreaterThan(before);
  });

  it('counts as missing what is answered after its time, and keeps it', async () => {
    const { view, pass, paths } = await start({
      services: 2,
      config: { operationTimeoutMs: 5000 },
      answer: async (_, path) => {
        if (path === pipesPath(1)) await new Promise((resolve) => setTimeout(resolve, 8000));
        return undefined;
      },
    });
    const body = await view();
    expect(codesIn(body)).toEqual(['UPSTREAM_TIMEOUT']);
    expect(body.extensions.progress).toEqual({ ready: 2, wanted: 3, completeInSeconds: 1 });
    await pass(4);
    expect(shownIn(await view())).toEqual([1, 2]);
    expect(paths().filter((path) => path === pipesPath(1))).toHaveLength(1);
  });

  it('leaves writes and small pages their slots', async () => {
    const { clock, pass, view, query } = await start({ services: 100 });
    const large = view();
    await pass(5);
    const sentAt = performance.now();
    const small = withIds('{ service(@service-99) { name pipes { name } } }');
    for (const document of [stopPipe(100), small]) {
      expect((await query(document)).body.errors).toBeUndefined();
    }
    expect(performance.now() - sentAt).toBeLessThan(1000);
    await clock.until(large);
  });

  it('shows sleeping services as such for as long as others are shown', async () => {
    const asleep = json({ status: 424, error: 'The service is idle' }, 424);
    const isAsleep = (path: string) => path === pipesPath(3) || path === pipesPath(30);
    const { view, pass, query } = await start({
      services: 60,
      answer: (_, path) => (isAsleep(path) ? asleep : undefined),
    });
    for (let views = 0; views < 8; views += 1) {
      const body = await view();
      if (views >= 4) {
        expect(codesIn(body)).toEqual(['SERVICE_NOT_RUNNING', 'SERVICE_NOT_RUNNING']);
        expect(shownIn(body)).toHaveLength(58);
        // What is written elsewhere does not wake them.
        await query(stopPipe(1));
      }
      await pass(15);
    }
  });
});

describe('the operation Attention', () => {
  const variables = { organizationId: withIds('organization-1') };
  const lastBackup = { id: 'x', status: 'error', startedAt: null, finishedAt: null };
  const startAttention = async (services: number, backups: Promise<void> = Promise.resolve()) =>
    start({
      ...{ services, config: { ...live, explain: true } },
      answer: async (_, path) => {
        if (path.endsWith('/backups')) await backups;
        return /pipes$|keys$|backups$|\/notifications\?/.test(path)
          ? result([lastBackup])
          : undefined;
      },
    });
  const callsOf = (services: number) => [
    ...['keys', 'notifications?limit=250&severity=critical'].map(
      (path) => `/v1/organizations/organization-1/${path}`,
    ),
    servicesPath,
    ...numbers(services).flatMap((number) =>
      ['backups', 'clickpipes'].map((path) => `${servicesPath}/service-${number}/${path}`),
    ),
  ];

  it.each([
    [3, 1, 0],
    [60, 5, 8],
  ])(
    'costs 3 management calls and 2 for each of %d services until view %d is whole, and from memory at most %d that renew',
    async (services, views, most) => {
      const { query, paths, pass, stack } = await startAttention(services);
      const headers = { 'sluice-explain': '1' };
      const view = async () => (await query(textOf('Attention'), { variables, headers })).body;
      let body = await view();
      for (let left = views - 1; left > 0; left -= 1) {
        expect(new Set(codesIn(body))).toEqual(new Set(['RATE_LIMITED']));
        await pass(10);
        body = await view();
      }
      expect(body.errors).toBeUndefined();
      const { allServices } = body.data.organization;
      expect(allServices).toHaveLength(services);
      for (const service of allServices) expect(service).toMatchObject({ lastBackup });
      expect([...new Set(paths())].sort()).toEqual(callsOf(services).sort());
      // What is old by then is renewed where slots are free.
      expect(paths().length - callsOf(services).length).toBeLessThanOrEqual(most);
      // Alerts are read anew for each view.
      expect(stack.calls.length - paths().length).toBe(views);

      const at = performance.now();
      const again = await view();
      expect(again.data).toEqual(body.data);
      expect(performance.now()).toBe(at);
      const { upstream } = again.extensions;
      expect(upstream).toHaveLength(4 + 2 * services);
      const sent = upstream.filter(({ cache }: { cache: string }) => cache === 'miss');
      expect(sent.length).toBeLessThanOrEqual(most);
    },
  );

  it('comes without the backups first, for a client that takes parts', async () => {
    const backups = Promise.withResolvers<void>();
    const { clock, stack } = await startAttention(3, backups.promise);
    const asked = askInParts(stack, textOf('Attention'), { variables });
    await clock.still(() => asked.parts.length > 0);
    expect(asked.parts[0]).toMatchObject({
      data: { alerts: [], organization: { apiKeys: [], failedPipes: { unreadServices: [] } } },
    });
    expect(asked.text()).not.toContain('lastBackup');
    backups.resolve();
    const service = { lastBackup };
    expect(assembled(await clock.until(asked.ended))).toMatchObject({
      organization: { allServices: [service, service, service] },
    });
  });
});

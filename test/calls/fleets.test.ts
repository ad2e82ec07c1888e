import { describe, expect, it } from 'vitest';
import { type Answer, type AnswerError, json } from '../support/harness.ts';
import {
  type FleetOptions as Options,
  organizationPath as organization,
  pipesPath,
  startFleet as start,
} from '../support/pacing/fleet.ts';
import type { Clock } from '../support/pacing/time.ts';
import { withIds } from '../support/world/ids.ts';
import { numbers } from '../support/world/worlds.ts';

const page = withIds('{ organization(id: "organization-1") { services { id pipes { name } } } }');
const smallPage = (number: number) =>
  withIds(
    `{ service(organizationId: "organization-1", serviceId: "service-${number}") { name pipes { name } } }`,
  );
const stopPipe = (number: number) =>
  withIds(
    `mutation { stopPipe(input: { organizationId: "organization-1", serviceId: "service-${number}", pipeId: "pipe-${number}" }) { userErrors { message } } }`,
  );

interface FleetOptions extends Omit<Options, 'answer'> {
  /** Services that sleep: their pipes cannot be read. */
  readonly asleep?: readonly number[];
  /** How many calls are answered before the credential is refused. */
  readonly accepted?: number;
  /** The number of the one call that is answered 429, and for how many seconds. */
  readonly limited?: { readonly call: number; readonly seconds: number };
}

const startFleet = async (options: FleetOptions) => {
  const { asleep = [], accepted = Infinity, limited, ...rest } = options;
  let calls = 0;
  const answer = (path: string): Answer | undefined => {
    calls += 1;
    if (calls > accepted) return json({ status: 401, error: 'No such key' }, 401);
    if (calls === limited?.call) {
      const { headers, ...refusal } = json({ status: 429, error: 'Too many requests' }, 429);
      return { ...refusal, headers: { ...headers, 'retry-after': String(limited.seconds) } };
    }
    return asleep.some((number) => path === pipesPath(number))
      ? json({ status: 424, error: 'The service is idle' }, 424)
      : undefined;
  };
  const fleet = await start({ ...rest, answer: ({ path }) => answer(path) });
  return { ...fleet, query: (document = page) => fleet.query(document) };
};

type Fleet = Awaited<ReturnType<typeof startFleet>>;
type Body = Awaited<ReturnType<Fleet['query']>>['body'];

const pass = (clock: Clock, seconds: number) =>
  clock.until(new Promise((resolve) => setTimeout(resolve, seconds * 1000)));

/** Those calls that read what none before has read. */
const firstsOf = (sent: Fleet['sent']): Fleet['sent'] =>
  sent.filter(({ path }, index) => sent.findIndex((each) => each.path === path) === index);

/** The page, asked for so many seconds after the beginning. */
const viewAt = async (fleet: Fleet, seconds: number): Promise<Body> => {
  await pass(fleet.clock, seconds - (performance.now() - fleet.started) / 1000);
  return (await fleet.query()).body;
};

/** The numbers of the services whose pipes a page shows. */
const shownIn = ({ data }: Body): readonly number[] =>
  data.organization.services.flatMap(({ pipes }: { pipes: unknown }, index: number) =>
    pipes === null ? [] : [index + 1],
  );

/** Reloads the page until it is whole: at most so often, and so long after each answer. */
const untilWhole = async (fleet: Fleet, reloads: number, seconds = 5): Promise<number> => {
  for (let views = 1; views <= reloads; views += 1) {
    const { body } = await fleet.query();
    if (!body.errors) return views;
    await pass(fleet.clock, seconds);
  }
  throw new Error(`The page is not whole after ${reloads} views`);
};

describe('a page that needs more calls than fit its time', () => {
  it('shows what there is, and tells how far it is, and when the rest can be there', async () => {
    const { query, sent } = await startFleet({ services: 40 });
    const { body } = await query();
    // Eight of ten slots at once, and eight in each of the two windows that fit 25 seconds. One of them was the list.
    expect(sent).toHaveLength(24);
    expect(shownIn(body)).toEqual(numbers(23));
    expect(body.extensions).toEqual({
      progress: { ready: 24, wanted: 41, completeInSeconds: 30 },
    });
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

  it('is whole after some reloads, with each read sent once until then, and fresh in turn afterwards', async () => {
    const fleet = await startFleet({ services: 40 });
    await untilWhole(fleet, 3);
    const all = [`${organization}/services`, ...numbers(40).map(pipesPath)];
    const first = fleet.paths().slice(0, 41);
    expect(first.toSorted()).toEqual(all.toSorted());

    await pass(fleet.clock, 15);
    const { body } = await fleet.query();
    expect(body.errors).toBeUndefined();
    await pass(fleet.clock, 40);
    // What was read longest ago was read anew first.
    const renewed = fleet
      .paths()
      .slice(41)
      .filter((path) => path.endsWith('/pipes'));
    expect(renewed.slice(0, 20)).toEqual(first.slice(1, 21));
    expect(new Set(renewed).size).toBe(renewed.length);
  });

  it('is shown for twice the time in which all of it is read once', async () => {
    // Nothing is read anew for five minutes.
    const fleet = await startFleet({ services: 40, limited: { call: 42, seconds: 300 } });
    await untilWhole(fleet, 3);
    // Its 41 reads take 51 seconds, eight in each window.
    for (const seconds of [70, 100]) expect((await viewAt(fleet, seconds)).errors).toBeUndefined();
    expect((await viewAt(fleet, 104)).data.organization.services).toBeNull();
    expect(fleet.sent).toHaveLength(42);
  });

  it('is shown no longer than MAX_STALE_SECONDS', async () => {
    const limited = { call: 3, seconds: 300 };
    const fleet = await startFleet({ services: 1, limited, config: { maxStaleMs: 20_000 } });
    for (const seconds of [0, 10, 19]) {
      expect((await viewAt(fleet, seconds)).errors).toBeUndefined();
    }
    expect((await viewAt(fleet, 21)).data.organization.services).toBeNull();
    expect(fleet.sent).toHaveLength(3);
  });

  it.each([
    ['READ_CACHE_MB=0', { readCacheBytes: 0 }],
    ['MAX_STALE_SECONDS=0', { maxStaleMs: 0 }],
  ])('is not read on with %s', async (_, config) => {
    const { clock, query, sent } = await startFleet({ services: 40, config });
    const { body } = await query();
    expect([shownIn(body), body.extensions]).toEqual([numbers(23), undefined]);
    await pass(clock, 60);
    expect(sent).toHaveLength(24);
  });

  it('is read once for all who look at it', async () => {
    const fleet = await startFleet({ services: 40 });
    const others = [fleet.stack.query(page), fleet.stack.query(`${page} `)];
    await untilWhole(fleet, 3);
    await fleet.clock.until(Promise.all(others));
    expect(new Set(fleet.paths().slice(0, 41)).size).toBe(41);
  });

  it('is read on for a minute after somebody has asked for it last, and no longer', async () => {
    const { clock, query, sent } = await startFleet({ services: 100 });
    // It takes 20 seconds.
    await query();
    await query();
    await pass(clock, 60);
    const before = sent.length;
    expect(firstsOf(sent).at(-1)?.second).toBeGreaterThanOrEqual(70);
    await pass(clock, 60);
    expect(sent.length).toBe(before);
    expect(before).toBeLessThan(80);
  });

  it('is read on for MAX_STALE_SECONDS at most, until somebody asks again', async () => {
    const fleet = await startFleet({ services: 100, config: { maxStaleMs: 40_000 } });
    await fleet.query();
    await pass(fleet.clock, 35);
    expect(fleet.sent.at(-1)?.second).toBeLessThanOrEqual(40);
    await fleet.query();
    const before = firstsOf(fleet.sent).length;
    await pass(fleet.clock, 15);
    expect(firstsOf(fleet.sent).length).toBeGreaterThan(before);
  });

  it('is read no further once the credential is refused', async () => {
    const { clock, query, sent } = await startFleet({ services: 100, accepted: 23 });
    const { body } = await query();
    expect(body.errors.at(-1)).toMatchObject({ extensions: { code: 'UNAUTHENTICATED' } });
    const before = sent.length;
    await pass(clock, 60);
    expect(sent).toHaveLength(before);
  });

  it('counts what was answered 429 as missing, and reads it in the background', async () => {
    const limited = { call: 2, seconds: 40 };
    const { clock, query, sent } = await startFleet({ services: 3, limited });
    const { body } = await query();
    expect(body.errors).toMatchObject([
      { extensions: { code: 'RATE_LIMITED', upstream: { status: 429 }, retryAfterSeconds: 40 } },
    ]);
    expect(body.extensions.progress).toEqual({ ready: 3, wanted: 4, completeInSeconds: 40 });
    await pass(clock, 45);
    expect(sent).toHaveLength(5);
    const { body: whole } = await query();
    expect([shownIn(whole), whole.extensions]).toEqual([[1, 2, 3], undefined]);
  });

  it('counts as missing what is answered after its time', async () => {
    const fleet = await start({
      services: 2,
      config: { operationTimeoutMs: 5000 },
      answer: async ({ path }) => {
        if (path === pipesPath(1)) await new Promise((resolve) => setTimeout(resolve, 8000));
        return undefined;
      },
    });
    const { body } = await fleet.query(page);
    expect(body.errors).toMatchObject([{ extensions: { code: 'UPSTREAM_TIMEOUT' } }]);
    expect(body.extensions.progress).toEqual({ ready: 2, wanted: 3, completeInSeconds: 1 });
    await fleet.pass(4);
    const { body: whole } = await fleet.query(page);
    expect(shownIn(whole)).toEqual([1, 2]);
    expect(fleet.paths().filter((path) => path === pipesPath(1))).toHaveLength(1);
  });

  it('leaves writes and small pages their slots', async () => {
    const { clock, stack, query } = await startFleet({ services: 100 });
    const view = stack.query(page);
    await pass(clock, 5);
    const sentAt = performance.now();
    expect((await query(stopPipe(100))).body.errors).toBeUndefined();
    expect((await query(smallPage(99))).body.errors).toBeUndefined();
    expect(performance.now() - sentAt).toBeLessThan(1000);
    await clock.until(view);
  });

  it('fails nothing that is read on, however few calls an operation may send', async () => {
    const fleet = await startFleet({ services: 20, config: { maxUpstreamCalls: 3 } });
    const { body } = await fleet.query();
    expect(body.errors).toBeUndefined();
    expect(shownIn(body)).toEqual(numbers(20));
    expect(fleet.sent).toHaveLength(21);
  });

  it('waits for as long as there is time for what is read on, however few calls an operation may send', async () => {
    const { query } = await startFleet({ services: 40, config: { maxUpstreamCalls: 5 } });
    const { body } = await query();
    expect(body.extensions.progress).toMatchObject({ ready: 24, wanted: 41 });
  });

  it('shows sleeping services as such for as long as others are shown', async () => {
    const asleep = [3, 30];
    const fleet = await startFleet({ services: 60, asleep });
    const codes = (body: Body): readonly string[] =>
      (body.errors ?? []).map(
        ({ extensions }: { extensions: { code: string } }) => extensions.code,
      );
    for (let views = 0; views < 4; views += 1) {
      await fleet.query();
      await pass(fleet.clock, 15);
    }
    for (let views = 0; views < 4; views += 1) {
      const { body } = await fleet.query();
      expect(codes(body)).toEqual(['SERVICE_NOT_RUNNING', 'SERVICE_NOT_RUNNING']);
      expect(shownIn(body)).toHaveLength(58);
      // What is written elsewhere does not wake them.
      await fleet.query(stopPipe(1));
      await pass(fleet.clock, 15);
    }
  });
});

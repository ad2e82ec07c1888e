import { describe, expect, it } from 'vitest';
import { type Answer, type AnswerError, json } from '../support/harness.ts';
import { type FleetOptions, pipesPath, servicesPath, startFleet } from '../support/pacing/fleet.ts';
import { withIds } from '../support/world/ids.ts';
import { numbers } from '../support/world/worlds.ts';

const page = withIds('{ organization(id: "organization-1") { services { id pipes { name } } } }');
const stopPipe = (number: number) =>
  withIds(
    `mutation { stopPipe(input: { @service-${number}, pipeId: "pipe-${number}" }) { userErrors { message } } }`,
  );

const limited = (seconds: number): Answer => {
  const answer = json({ status: 429, error: 'Too many requests' }, 429);
  return { ...answer, headers: { ...answer.headers, 'retry-after': `${seconds}` } };
};

/** Answers the call with that number in place of the world, where it gives an answer. */
type AnswerTo = (number: number, path: string) => Answer | undefined | Promise<Answer | undefined>;
type Options = Omit<FleetOptions, 'answer'> & { readonly answer?: AnswerTo };

const start = async ({ answer, ...options }: Options) => {
  let calls = 0;
  const fleet = await startFleet({
    ...options,
    answer: ({ path }) => {
      calls += 1;
      return answer?.(calls, path);
    },
  });
  const view = async () => (await fleet.query(page)).body;
  return {
    ...fleet,
    view,
    /** The page, asked for when so many seconds have passed since the beginning. */
    viewAt: async (seconds: number) => {
      await fleet.pass(seconds - (performance.now() - fleet.started) / 1000);
      return view();
    },
    /** Reloads the page until it is whole, five seconds after each answer; three times at most. */
    untilWhole: async () => {
      for (let views = 1; (await view()).errors; views += 1) {
        expect(views).toBeLessThan(3);
        await fleet.pass(5);
      }
    },
    /** When each path was read first. */
    firsts: () => fleet.sent.filter(({ path }, index) => fleet.paths().indexOf(path) === index),
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

  it('is shown for twice the time in which all of it is read once', async () => {
    // Nothing is read anew for five minutes.
    const answer = (call: number) => (call === 42 ? limited(300) : undefined);
    const { untilWhole, viewAt, sent } = await start({ services: 40, answer });
    await untilWhole();
    // Its 41 reads take 51 seconds, eight in each window.
    for (const seconds of [70, 100]) expect((await viewAt(seconds)).errors).toBeUndefined();
    expect((await viewAt(104)).data.organization.services).toBeNull();
    expect(sent).toHaveLength(42);
  });

  it('is shown no longer than MAX_STALE_SECONDS', async () => {
    const answer = (call: number) => (call === 3 ? limited(300) : undefined);
    const { viewAt, sent } = await start({ services: 1, answer, config: { maxStaleMs: 20_000 } });
    for (const seconds of [0, 10, 19]) expect((await viewAt(seconds)).errors).toBeUndefined();
    expect((await viewAt(21)).data.organization.services).toBeNull();
    expect(sent).toHaveLength(3);
  });

  it.each([{ readCacheBytes: 0 }, { maxStaleMs: 0 }])('is not read on with %j', async (config) => {
    const { pass, view, sent } = await start({ services: 40, config });
    const body = await view();
    expect([shownIn(body), body.extensions]).toEqual([numbers(23), undefined]);
    await pass(60);
    expect(sent).toHaveLength(24);
  });

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

  it('is read no further once the credential is refused', async () => {
    const refused = json({ status: 401, error: 'No such key' }, 401);
    const answer = (call: number) => (call > 23 ? refused : undefined);
    const { pass, view, sent } = await start({ services: 100, answer });
    expect(codesIn(await view()).at(-1)).toBe('UNAUTHENTICATED');
    const before = sent.length;
    await pass(60);
    expect(sent).toHaveLength(before);
  });

  it('counts what was answered 429 as missing, and reads it in the background', async () => {
    const answer = (call: number) => (call === 2 ? limited(40) : undefined);
    const { pass, view, sent } = await start({ services: 3, answer });
    const body = await view();
    expect(body.errors).toMatchObject([
      { extensions: { code: 'RATE_LIMITED', upstream: { status: 429 }, retryAfterSeconds: 40 } },
    ]);
    expect(body.extensions.progress).toEqual({ ready: 3, wanted: 4, completeInSeconds: 40 });
    await pass(45);
    expect(sent).toHaveLength(5);
    const whole = await view();
    expect([shownIn(whole), whole.extensions]).toEqual([[1, 2, 3], undefined]);
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

  it.each([
    [20, 3, 20, undefined],
    [40, 5, 23, { ready: 24, wanted: 41 }],
  ])(
    'of %i services may be read on, though an operation may send only %i calls',
    async (services, maxUpstreamCalls, shown, progress) => {
      const { view, sent } = await start({ services, config: { maxUpstreamCalls } });
      const body = await view();
      expect(shownIn(body)).toEqual(numbers(shown));
      expect(new Set(codesIn(body))).toEqual(new Set(progress ? ['RATE_LIMITED'] : []));
      if (progress) expect(body.extensions.progress).toMatchObject(progress);
      expect(sent).toHaveLength(shown + 1);
    },
  );

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

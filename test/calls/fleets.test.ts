import { describe, expect, it } from 'vitest';
import { live } from '../operations/table.ts';
import { type Answer, type AnswerError, json, result } from '../support/harness.ts';
import { askInParts, assembled } from '../support/in-parts.ts';
import { textOf } from '../support/operations.ts';
import { type FleetOptions, pipesPath, servicesPath, startFleet } from '../support/pacing/fleet.ts';
import { rowsOf } from '../support/rows.ts';
import { withIds } from '../support/world/ids.ts';
import { numbers } from '../support/world/worlds.ts';

const page = withIds('{ organization(id: "organization-1") { services { id pipes { name } } } }');
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
    /** The page, asked for this number of seconds after the beginning. */
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

  /** How many pipes a view shows, how far it is, and with which errors. */
  const told = (body: Body): string => {
    const { ready, wanted, completeInSeconds } = body.extensions?.progress ?? {};
    const shown = body.data.organization.services ? shownIn(body).length : 'nothing';
    const progress = ready && `(${ready} of ${wanted} in ${completeInSeconds} s)`;
    return [shown, progress, ...new Set(codesIn(body))].filter((each) => each).join(' ');
  };
  const settings: Readonly<Record<string, (value: number) => Options['config']>> = {
    MAX_STALE_SECONDS: (seconds) => ({ maxStaleMs: seconds * 1000 }),
    READ_CACHE_MB: (megabytes) => ({ readCacheBytes: megabytes }),
    MAX_UPSTREAM_CALLS: (maxUpstreamCalls) => ({ maxUpstreamCalls }),
  };
  it.each(
    rowsOf(`
  is shown for twice the 51 seconds in which all of it is read once
    40 services, 429 for 300 s to call 42, views, view at 70 s, view at 100 s, view at 104 s
    -> 40, 40, nothing RATE_LIMITED / 42 calls
  is shown no longer than MAX_STALE_SECONDS
    1 services, MAX_STALE_SECONDS=20, 429 for 300 s to call 3, view, view at 19 s, view at 21 s
    -> 1, 1, nothing RATE_LIMITED / 3 calls
  is not read on where nothing is kept
    40 services, READ_CACHE_MB=0, view, 60 s -> 23 RATE_LIMITED / 24 calls
  is not read on where nothing old is shown
    40 services, MAX_STALE_SECONDS=0, view, 60 s -> 23 RATE_LIMITED / 24 calls
  is read no further once the credential is refused
    100 services, 401 for 1 s to call 24, view, 60 s
    -> 22 (24 of 101 in 100 s) RATE_LIMITED UNAUTHENTICATED / 24 calls
  counts what was answered 429 as missing, and reads it in the background
    3 services, 429 for 40 s to call 2, view, 45 s -> 2 (3 of 4 in 40 s) RATE_LIMITED / 5 calls
  may be read on, though an operation may send fewer calls
    20 services, MAX_UPSTREAM_CALLS=3, view -> 20 / 21 calls
  that is not whole may be read on too
    40 services, MAX_UPSTREAM_CALLS=5, view -> 23 (24 of 41 in 30 s) RATE_LIMITED / 24 calls
  `),
  )('%s', async (_, row, outcome) => {
    const [services = '', ...steps] = row.split(', ');
    let config: Options['config'] = {};
    const answers = new Map<number, Answer>();
    for (const step of steps) {
      const [, setting = '', value] = /^(\w+)=(\d+)$/.exec(step) ?? [];
      config = { ...config, ...settings[setting]?.(Number(value)) };
      const [, code, seconds, call] = /^(\d+) for (\d+) s to call (\d+)$/.exec(step) ?? [];
      if (code) answers.set(Number(call), failing(Number(code), Number(seconds)));
    }
    const { view, viewAt, untilWhole, pass, sent } = await start({
      ...{ services: Number.parseInt(services, 10), config: config ?? {} },
      answer: (call) => answers.get(call),
    });
    const views: string[] = [];
    for (const step of steps) {
      const seconds = Number.parseInt(step.replace('view at ', ''), 10);
      if (step === 'views') await untilWhole();
      else if (step === 'view') views.push(told(await view()));
      else if (step.startsWith('view at ')) views.push(told(await viewAt(seconds)));
      else if (/^\d+ s$/.test(step)) await pass(seconds);
    }
    expect(`${views.join(', ')} / ${sent.length} calls`).toBe(outcome);
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
    startFleet({
      ...{ services, config: { ...live, explain: true } },
      answer: async ({ path }) => {
        if (path.endsWith('/backups')) await backups;
        return /pipes$|keys$|backups$/.test(path) ? result([lastBackup]) : undefined;
      },
    });
  const callsOf = (services: number) => [
    ...['/v1/organizations/organization-1/keys', servicesPath],
    ...numbers(services).flatMap((number) =>
      ['backups', 'clickpipes'].map((path) => `${servicesPath}/service-${number}/${path}`),
    ),
  ];

  it.each([
    [3, 1, 0],
    [60, 5, 8],
  ])(
    'costs 2 management calls and 2 for each of %d services until view %d is whole, and from memory at most %d that renew',
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
      expect(upstream).toHaveLength(3 + 2 * services);
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

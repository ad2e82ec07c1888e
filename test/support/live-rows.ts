import { expect, it, onTestFinished, vi } from 'vitest';
import type { Config } from '../../src/config.ts';
import { type Answer, json, result } from './harness.ts';
import { askInParts, type Part } from './in-parts.ts';
import {
  ofService,
  organizationId,
  pass,
  pipeIds,
  pipePath,
  servicePath,
  settled,
  startLive,
} from './live-world.ts';
import { stopTime } from './pacing/time.ts';
import { type Event, subscribe } from './subscribe.ts';

const ofService2 = ofService.replace(/2"$/, '3"');
const service2 = ofService2.slice(-38);
const organization = (selected: string) => `organization(id: "${organizationId}") { ${selected} }`;
const pipe = (index: number, selected: string) =>
  `pipe(${ofService}, pipeId: "${pipeIds[index]}") { ${selected} }`;
const stop = (index: number, selected: string, of = ofService) =>
  `p${index}: stopPipe(input: {${of}, pipeId: "${pipeIds[index]}"}) { ${selected} userErrors { code } }`;

/** What rows watch, ask for and write, by the words that they have for it. */
const fields = {
  pipe: pipe(0, 'state'),
  'pipe 1': pipe(1, 'state'),
  'pipe 2': pipe(2, 'state'),
  name: pipe(0, 'name'),
  pipes: `pipes(${ofService}) { state service { name } }`,
  service: `service(${ofService}) { name }`,
  backup: `service(${ofService}) { pipes { state } backupConfiguration { backupPeriodInHours } }`,
  organization: organization('name'),
  'names of services': organization('services { name }'),
  services: organization('services { name pipes { state } }'),
  fleet: organization('services { pipes { state } }'),
  'all pipes': organization('pipes { items { state } unreadServices { service { name } code } }'),
  nothing: organization('__typename'),
  alerts: 'alerts { state dashboard { name } }',
  'alerts of a fragment': '...A } fragment A on Subscription { ... { alerts { name } }',
  page: organization('services { name ... @defer { pipes { state } } }'),
  'page and backup': `${organization('services { name ... @defer { pipes { state } } }')}
    service(${ofService}) { backupConfiguration { backupPeriodInHours } }`,
  'page and pipes of service 2': `${organization('services { name ... @defer { pipes { state } } }')}
    organizations { service(id: ${service2}) { pipes { name } } }`,
  'organization and later its pipes': organization(
    'name ... @defer { pipes { items { state } unreadServices { code } } }',
  ),
  'pipe and later its service': `${pipe(0, 'state')} ... @defer { service(${ofService}) { name } }`,
  'stop the pipe': stop(0, ''),
  'stop a pipe of service 2': stop(2, '', ofService2),
  'stop the pipe and look': stop(0, 'pipe { name ... @defer { service { name } } }'),
  'stop two pipes and look': `${stop(0, 'pipe { name ... @defer { service { name } } }')} ${stop(1, '')}`,
  'stop the pipe of service 3': stop(0, '', ofService.replace(/002"$/, '103"')),
  'stop the pipe of service 8': stop(0, '', ofService.replace(/002"$/, '108"')),
  'service 90': `service(${ofService.replace(/002"$/, '190"')}) { pipes { state } }`,
  'scale the service': `updateServiceScaling(input: {${ofService}, numReplicas: 3}) { userErrors { code } }`,
};

type What = keyof typeof fields;

/** What rows let fail or hang, and whose calls they count. */
const calls = {
  pipe: `GET ${pipePath()}`,
  'pipe 1': `GET ${pipePath(1)}`,
  'pipe 2': `GET ${pipePath(2)}`,
  pipes: `GET ${servicePath}/pipes`,
  'pipes of service 2': `GET ${servicePath.replace(/2$/, '3')}/pipes`,
  service: `GET ${servicePath}`,
  services: `GET /v1/organizations/${organizationId}/services`,
  organization: `GET /v1/organizations/${organizationId}`,
  organizations: 'GET /v1/organizations',
  backup: `GET ${servicePath}/backupConfiguration`,
  'dashboard d2': 'GET /api/v2/dashboards/d2',
  stop: `PATCH ${pipePath()}/state`,
  'stop 1': `PATCH ${pipePath(1)}/state`,
  'stop of service 8': `PATCH ${pipePath().replace('002/', '108/')}/state`,
};
type CallName = keyof typeof calls;
const callsByName: Readonly<Record<string, string>> = calls;
const pipesOf = (service: number) =>
  `${servicePath.slice(0, -12)}${`${100 + service}`.padStart(12, '0')}/pipes`;
const nameOf = ({ method, path }: { readonly method: string; readonly path: string }): string => {
  const [, service] = /0001(\d\d)\/pipes$/.exec(path) ?? [];
  if (service) return `pipes ${Number(service)}`;
  return Object.keys(calls).find((each) => callsByName[each] === `${method} ${path}`) ?? path;
};
/** The answers of a fleet of this number of services with a pipe each, whose calls rows name `pipes 1` to `pipes 99`. */
const fleetOf = (
  services: number | undefined,
  path: string,
  changed: ReadonlyMap<string, string>,
): Answer | undefined => {
  if (services === undefined) return undefined;
  const [, number] = /0001(\d\d)\/pipes$/.exec(path) ?? [];
  const state = changed.get(`${Number(number)}`) ?? 'Running';
  if (number) return result([{ id: pipeIds[0], name: 'pipe', state }]);
  if (!path.endsWith('/services')) return undefined;
  return result(
    Array.from({ length: services }, (_, index) => ({
      id: pipesOf(index + 1)
        .split('/')
        .at(-2),
      name: 'service',
    })),
  );
};

/** The credential of a name; in capitals it is the same one, spelt otherwise, and nobody has none. */
const authorizationOf = (name: string): string => {
  const value = btoa(`${name.toLowerCase()}:secret`);
  if (name === 'nobody') return '';
  return name === name.toLowerCase() ? `Basic ${value}` : `basic  ${value.replaceAll('=', '')}`;
};

/** A stream, the answer to a query, or a response in parts. */
interface Seen {
  readonly name: string;
  events: readonly (Event & Part)[];
  /** Why it ended; undefined as long as it has not, and for responses that are whole. */
  readonly end: () => string | undefined;
  /** How much of it earlier lines have told. */
  told: number;
  readonly leave: () => void;
}

/** Numbers as ranges: `1-3 5`. */
const rangesOf = (numbers: readonly number[]): string =>
  numbers
    .map((each) => {
      if (!numbers.includes(each + 1)) return `${each} `;
      return numbers.includes(each - 1) ? '' : `${each}-`;
    })
    .join('')
    .trim();

/** Values; of a long list only which of its members are not null, and by what they differ. */
const textOf = (value: unknown): string => {
  if (Array.isArray(value)) {
    const texts = value.map(textOf);
    const there = texts.flatMap((text, index) => (text === 'null' ? [] : [index + 1]));
    if (texts.length <= 7) return `[${texts.join(', ')}]`;
    const values = [...new Set(texts)].filter((text) => text !== 'null');
    const differing = values.length > 1 ? `: ${values.join(' ')}` : '';
    return `${rangesOf(there) || 'none'} of ${texts.length}${differing}`;
  }
  if (typeof value !== 'object' || value === null) return `${value}`;
  return Object.values(value).map(textOf).join(' ');
};

/** Values, in parentheses the codes of errors and how the event tells that it is the last one, and the progress. */
const eventOf = ({ data, errors = [], extensions }: Event): string => {
  const codes = errors.map(({ extensions }: Event) => {
    const { code, limit, allowed, retryable, retryAfterSeconds } = extensions;
    if (!limit) return code;
    const retry = retryable ? `, retry after ${retryAfterSeconds} s` : '';
    return `${code} ${allowed} ${limit}${retry}`;
  });
  const told = [...new Set(codes)].sort();
  if (extensions?.ended) told.push(extensions.ended);
  const { ready, wanted } = extensions?.progress ?? {};
  return [
    ...(data === undefined ? [] : [textOf(data)]),
    ...(told.length > 0 ? [`(${told.join(', ')})`] : []),
    ...(ready === undefined ? [] : [`ready ${ready}/${wanted}`]),
  ].join(' ');
};

/** What an event tells: of a part, each of its payloads with the end of its path, and that no other follows. */
const itemsOf = (event: Event & Part): readonly string[] => {
  const { incremental, hasNext }: Part = event;
  const isEmpty = Object.keys(event).join() === 'hasNext' && hasNext;
  return [
    ...(event.data === undefined && !event.errors ? [] : [eventOf(event)]),
    ...(incremental ?? []).map((each) => `${each.path.at(-1) ?? 'root'}: ${eventOf(each)}`),
    ...(isEmpty ? ['empty'] : []),
    ...(hasNext === false ? ['end'] : []),
  ];
};

/** A configuration, how often is polled, and what the backend is like. */
export interface Settings extends Partial<Config> {
  readonly pollMs?: number;
  /** How many characters each record has beside its members. */
  readonly filler?: number;
  /** Whether each record is another one each time. */
  readonly isChanging?: unknown;
  /** How many services a fleet has. */
  readonly services?: number;
}

/** Settings, as they stand in parentheses behind the title of a row: numbers, `off`, or a rate such as `10/10000`. */
const settingsIn = (text: string): Settings =>
  Object.fromEntries(
    [...text.matchAll(/(\w+) ([\w/]+)/g)].map(([, name, value = '']) => {
      const [calls, windowMs] = value.split('/').map(Number);
      if (windowMs) return [name, { calls, windowMs }];
      return [name, value === 'off' ? undefined : calls];
    }),
  );

const startWith = async ({ pollMs, filler, isChanging, services, ...config }: Settings) => {
  /** Held calls, by words of `calls` or for `all`, and the statuses that credentials get. */
  const held = new Map<string, PromiseWithResolvers<void>>();
  const refused = new Map<string, number>();
  /** The states of pipes of a fleet, by the numbers of their services. */
  const changed = new Map<string, string>();
  const { world, ...stack } = await startLive({
    config: { maxRetries: 0, ...config } satisfies Partial<Config>,
    ...(pollMs && { gateway: { pollMs: { management: pollMs, observability: pollMs } } }),
    management: async (call) => {
      await (held.get('all') ?? held.get(nameOf(call)))?.promise;
      const authorization = `${call.headers.authorization}`;
      const status = refused.get(authorization);
      if (status) return json({ status, error: `${authorization} is refused` }, status);
      const known = await world.management(call);
      const answer = (known.status === 200 && fleetOf(services, call.path, changed)) || known;
      const more = 'x'.repeat(filler ?? 0) + (isChanging ? stack.calls.length : '');
      return { ...answer, body: answer.body.replace('"name"', `"description":"${more}","name"`) };
    },
  });
  onTestFinished(async () => {
    for (const { resolve } of held.values()) resolve();
    await stack.close();
  });
  return { ...stack, world, held, refused, changed };
};

/**
 * A clock that stands still but for a nanosecond between two reads of it, so that no two events have the same time; also for
 * what has taken `performance` when it was loaded.
 */
const stopTicking = () => {
  const real = performance;
  const { now: realNow } = real;
  const clock = stopTime();
  const { now } = performance;
  let ticks = 0;
  const ticking = () => {
    ticks += 1e-6;
    return now.call(performance) + ticks;
  };
  performance.now = ticking;
  real.now = ticking;
  onTestFinished(() => {
    real.now = realNow;
  });
  return clock;
};

type Headers = Readonly<Record<string, string>>;
type Way = 'watch' | 'ask' | 'take';
/** How many of a name come, whose credential they have, and what they accept. */
interface Opening {
  readonly count?: number;
  readonly key?: string | undefined;
  /** Whether nothing that was read before may answer them. */
  readonly anew?: boolean;
  readonly accept?: string;
}

/** The gateway of a row, what its callers have seen, and how rows change it. */
const createStage = async (settings: Settings) => {
  const clock = stopTicking();
  const { world, held, refused, changed, ...stack } = await startWith(settings);
  const { gateway } = stack;
  const seen: Seen[] = [];
  let [requests, closed] = [0, 0];
  gateway.server.on('request', (_, response) => {
    requests += 1;
    response.once('close', () => {
      closed += 1;
    });
  });
  const timers = vi.getTimerCount();

  const see = (name: string, more: Partial<Seen> = {}): Seen => {
    const one = { name, events: [], told: 0, end: () => undefined, leave: () => {}, ...more };
    seen.push(one);
    onTestFinished(one.leave);
    return one;
  };
  const ways: Readonly<Record<Way, (name: string, what: What, headers: Headers) => unknown>> = {
    watch: (name, what, given) => {
      const id = `${name}-${seen.length}`;
      const leaving = new AbortController();
      const { signal } = leaving;
      let [isOver, isComplete] = [false, false];
      const one = see(name, {
        leave: () => leaving.abort(),
        end: () => {
          if (!isOver) return undefined;
          const reason = new RegExp(`"requestId":"${id}".*"ended":"(.*?)"`).exec(stack.log())?.[1];
          return isComplete || signal.aborted ? (reason ?? 'refused') : 'cut off';
        },
      });
      const headers = { ...given, 'x-request-id': id };
      subscribe(stack.url, `subscription { ${fields[what]} }`, { headers, signal }).then(
        async (stream) => {
          one.events = stream.events;
          await stream.ended;
          [isOver, isComplete] = [true, stream.isComplete];
        },
        // It has left before it was opened.
        () => undefined,
      );
    },
    ask: async (name, what, headers) => {
      const one = see(name);
      one.events = [(await stack.query(`{ ${fields[what]} }`, { headers })).body];
    },
    take: (name, what, { accept, ...headers }) => {
      const document = `${what.startsWith('stop') ? 'mutation' : ''} { ${fields[what]} }`;
      const { parts, leave } = askInParts(stack, document, {
        headers,
        ...(accept && { accept }),
      });
      see(name, { events: parts, leave });
    },
  };
  const open = async (
    way: Way,
    name: string,
    what: What,
    { count = 1, key, anew, accept }: Opening,
  ) => {
    const expected = requests + count;
    const headers = {
      ...(key && { 'management-authorization': authorizationOf(key) }),
      ...(anew && { 'cache-control': 'no-cache' }),
      ...(accept && { accept }),
    };
    for (let number = 0; number < count; number += 1) ways[way](name, what, headers);
    await clock.still(() => requests === expected);
  };
  const leave = async (name: string, count: number) => {
    const staying = seen.filter((each) => each.name === name && each.end() === undefined);
    const leaving = staying.slice(0, count);
    const expected = closed + leaving.length;
    for (const each of leaving) each.leave();
    await clock.still(() => closed === expected);
  };
  /** Answers calls with this status, or as they would be answered without it. */
  const answer = (name: string, call: string, status?: number) => {
    world.fail(call, status);
    held.get(name)?.resolve();
    held.delete(name);
  };

  const newsOf = ({ events, told, end }: Seen): readonly string[] => {
    const reason = end();
    return [...events.flatMap(itemsOf), ...(reason ? [`end: ${reason}`] : [])].slice(told);
  };
  /** Of more than three the first and the last one. */
  const shortened = (items: readonly string[]): string =>
    (items.length > 3 ? [items[0], '…', items.at(-1)] : items).join('; ');
  /** What has come since the line before: equal streams of the same name are told together. */
  const news = (): string => {
    const texts = seen
      .map((each) => [each.name, shortened(newsOf(each))] as const)
      .flatMap(([name, text]) => (text ? [`${name}: ${text}`] : []));
    const told = [...Map.groupBy(texts, (text) => text)].map(([text, { length }]) =>
      length > 1 ? `${length} ${text}` : text,
    );
    return told.join(' | ') || '-';
  };
  /** A fact as it is; one with `at most` or `at least` remains as it was told where it is true. */
  const factOf = (told: string): string => {
    const names = stack.calls.map(nameOf);
    const counts: Readonly<Record<string, number>> = {
      ...{ ...gateway.streams(), calls: names.length, timers: vi.getTimerCount() - timers },
    };
    if (told.startsWith('calls: ')) return `calls: ${names.join(' > ')}`;
    const [, name = '', bound, number] = /^(.*?)( at most| at least)? (\d+)$/.exec(told) ?? [];
    const count = counts[name] ?? names.filter((each) => each === name).length;
    const isTrue = bound === ' at most' ? count <= Number(number) : count >= Number(number);
    return bound && isTrue ? told : `${name} ${count}`;
  };

  /** Waits for this to have come, where the last step was not a time, and expects it. */
  const expectNews = async (expected: string, isPatient: boolean) => {
    // What needs no time may need turns of the event loop.
    for (let turns = 0; turns < 40 && news() !== expected; turns += 1) await settled();
    for (let waits = 0; waits < 1200 && isPatient && news() !== expected; waits += 1) {
      await pass(clock, 100);
    }
    if (expected !== '…') expect(news()).toBe(expected);
    for (const each of seen) each.told += newsOf(each).length;
    for (const { events } of expected === '…' ? [] : seen) {
      // Each event that is not whole shows more than the one before.
      const filling = events.filter(({ extensions }) => extensions?.progress);
      const ready = filling.map(({ extensions }) => extensions.progress.ready);
      expect(ready).toEqual([...new Set(ready)].sort((one, other) => one - other));
      const shown = filling.map(({ data }) => JSON.stringify(data ?? {}).split('"state"').length);
      expect(shown).toEqual(shown.toSorted((one, other) => one - other));
    }
  };
  const end = () => {
    const shown = stack.log() + JSON.stringify(seen.map(({ events }) => events));
    for (const key of refused.keys()) expect(shown).not.toContain(key.replace('Basic ', ''));
  };
  /** How many timers run for what the row has done. */
  const countTimers = (): number => vi.getTimerCount() - timers;
  return {
    ...{ clock, world, held, refused, changed, stack, open, leave, answer, expectNews, factOf },
    ...{ countTimers, end },
  };
};
type Stage = Awaited<ReturnType<typeof createStage>>;

export type Step = (stage: Stage) => unknown;

const play = async (settings: Settings, steps: readonly Step[]) => {
  const stage = await createStage(settings);
  for (const step of steps) {
    const done = step(stage);
    if (done instanceof Promise) await done;
    await settled();
  }
  stage.end();
};

const opening =
  (way: Way, name: string) =>
  (what: What, options: Opening = {}): Step =>
  (stage) =>
    stage.open(way, name, what, options);
/** A caller, or several of one name. */
export const caller = (name: string) => ({
  watches: opening('watch', name),
  asks: opening('ask', name),
  takes: opening('take', name),
  leaves:
    (count = 1): Step =>
    (stage) =>
      stage.leave(name, count),
});
export const passes =
  (seconds: number): Step =>
  async (stage) => {
    await pass(stage.clock, seconds * 1000);
  };
/** Holds calls until they are answered by another step. */
export const hangs =
  (...names: readonly CallName[]): Step =>
  (stage) => {
    for (const name of names) stage.held.set(name, Promise.withResolvers());
  };
export const answers =
  (...names: readonly CallName[]): Step =>
  (stage) => {
    for (const name of names) stage.answer(name, calls[name]);
  };
export const fails =
  (name: CallName, status: number): Step =>
  (stage) =>
    stage.answer(name, calls[name], status);
/**
 * Expects what has come since the last time: for each stream, query or response the values of its events, their codes in
 * parentheses, and the end; waits for this to come.
 */
export const tells =
  (...news: readonly string[]): Step =>
  (stage) =>
    stage.expectNews(news.join(' | ') || '-', true);
/** The same, of what has come by now. */
export const tellsNow =
  (...news: readonly string[]): Step =>
  (stage) =>
    stage.expectNews(news.join(' | ') || '-', false);
export const countsCalls =
  (count: number): Step =>
  ({ stack }) =>
    expect(stack.calls).toHaveLength(count);
export const countsTimers =
  (count: number): Step =>
  ({ countTimers }) =>
    expect(countTimers()).toBe(count);
/** Expects all calls so far, in their order. */
export const calledInOrder =
  (...names: readonly CallName[]): Step =>
  ({ stack }) =>
    expect(stack.calls.map(nameOf)).toEqual(names);

/** A test of these steps. The clock stands still between them, and at first all pipes are Running. */
export const plays = (title: string, settings: Settings, ...steps: readonly Step[]) =>
  it(title, () => play(settings, steps));

/** Steps of rows as text, by their forms. */
const forms: readonly (readonly [RegExp, (stage: Stage, ...parts: string[]) => unknown])[] = [
  [
    /^(?:(\d+) )?(\w+) (watch|ask|take)(?:e?s)? (.+?)(?: as (\w+))?( anew)?$/,
    (stage, count = '1', name = '', way = '', what = '', key, anew) =>
      stage.open(way as Way, name, what as What, {
        count: Number(count),
        key,
        anew: anew !== undefined,
      }),
  ],
  [
    /^((?:stop|scale) [^:]+)$/,
    ({ clock, stack }, what = '') =>
      clock.until(stack.query(`mutation { ${fields[what as What]} }`)),
  ],
  [
    /^(?:(\d+) )?(\w+) leaves?$/,
    (stage, count = '1', name = '') => stage.leave(name, Number(count)),
  ],
  [/^([\d.]+) s$/, ({ clock }, seconds) => pass(clock, Number(seconds) * 1000)],
  [
    /^key (\w+): (\d+|ok)$/,
    ({ refused }, key = '', status) => {
      if (status === 'ok') refused.delete(authorizationOf(key));
      else refused.set(authorizationOf(key), Number(status));
    },
  ],
  [/^no alerts$/, ({ world }) => world.alerts.splice(0)],
  [
    /^(?:an|(\d+)) alerts? of d2$/,
    ({ world }, count = '1') => {
      const alert = { id: 'a2', name: 'lag', state: 'OK', dashboard: 'd2' };
      for (let more = Number(count); more > 0; more -= 1) world.alerts.push({ ...alert });
    },
  ],
  [
    /^alerts: (\w+)$/,
    ({ world }, state = '') => {
      for (const alert of world.alerts) alert.state = state;
    },
  ],
  [/^(.+): hangs$/, ({ held }, name = '') => held.set(name, Promise.withResolvers())],
  [
    /^(.+): (\d+|ok)$/,
    (stage, name = '', status) => {
      const [, service] = /^pipes (\d+)$/.exec(name) ?? [];
      const call = service ? `GET ${pipesOf(Number(service))}` : (callsByName[name] ?? name);
      stage.answer(name, call, status === 'ok' ? undefined : Number(status));
    },
  ],
  [
    /^pipe( \d)?: ([A-Z]\w+)$/,
    ({ world }, index, state = '') => world.states.splice(Number(index ?? 0), 1, state),
  ],
  [
    /^pipes (\d+): ([A-Z]\w+)$/,
    ({ changed }, service = '', state = '') => changed.set(service, state),
  ],
  [/^pipes: ([A-Z]\w+)$/, ({ world }, state = '') => world.states.fill(state)],
  [/^the gateway stops$/, ({ stack }) => void stack.gateway.close()],
];

const stepOf = (text: string): Step => {
  const [pattern, does] = forms.find(([each]) => each.test(text)) ?? [];
  const found = pattern?.exec(text);
  if (!does || !found) throw new Error(`No such step: ${text}`);
  return (stage) => does(stage, ...found.slice(1));
};

/** The steps of a line of text, and what it tells. */
const stepsOf = (line: string): readonly Step[] => {
  const [, all = '', expected, facts = ''] = /^(.*?) ?-> (.*?)(?: \/ (.*))?$/.exec(line) ?? [];
  if (expected === undefined) throw new Error(`No arrow: ${line}`);
  const doing = all.split(', ').filter(Boolean);
  const isPatient = expected !== '…' && !/ s$/.test(doing.at(-1) ?? '');
  const tell: Step = async (stage) => {
    await stage.expectNews(expected, isPatient);
    const told = facts.split(', ').filter(Boolean).map(stage.factOf).join(', ');
    expect([all, told]).toEqual([all, facts]);
  };
  return [...doing.map(stepOf), tell];
};

/**
 * Makes a test of each row. A row has a title, with settings in parentheses, and below it lines of steps, an arrow, and what
 * has come since the line before: for each stream, query or response the values of its events, their codes in parentheses, and
 * the end; `-` for nothing. Behind a slash are counts of calls so far, and of what the gateway has. A line that is indented
 * further continues the one above it.
 *
 * After its steps a line waits until what it names has come, unless it ends with a time. The clock stands still between steps.
 * At first all pipes are Running.
 */
export const rows = (text: string): void => {
  const all = text
    .trim()
    .replaceAll(/\n {6,}/g, ' ')
    .split(/\n(?= {2}\S)/)
    .map((row) => row.trim().split(/\n\s*/))
    .map(([title = '', ...lines]) => [title, lines] as const);
  it.each(all)('%s', (title, lines) =>
    play(settingsIn(/ \((\w+ [\w/]+(?:, .+)*)\)$/.exec(title)?.[1] ?? ''), lines.flatMap(stepsOf)),
  );
};

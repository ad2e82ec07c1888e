import { expect, onTestFinished, vi } from 'vitest';
import type { Config } from '../../src/config.ts';
import { type Answer, json, result } from './harness.ts';
import { askInParts, events as ofEvents, type Part } from './in-parts.ts';
import {
  ofService,
  openLive,
  organizationId,
  pass as passTime,
  pipeIds,
  pipePath,
  servicePath,
  settled,
} from './live-world.ts';
import { stopTime } from './pacing/time.ts';
import { carryOutWith, present, type Step } from './steps.ts';
import { type Event, subscribe } from './subscribe.ts';

const ofService2 = ofService.replace(/2"$/, '3"');
const service2 = ofService2.slice(-38);
const organization = (selected: string) =>
  `organization(organizationId: "${organizationId}") { ${selected} }`;
const pipe = (index: number, selected: string) =>
  `pipe(${ofService}, pipeId: "${pipeIds[index]}") { ${selected} }`;
const stop = (index: number, selected: string, of = ofService) =>
  `p${index}: stopPipe(input: {${of}, pipeId: "${pipeIds[index]}"}) { ${selected} userErrors { code } }`;

/** What tests watch, ask for and write. */
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
} as const;
type Field = keyof typeof fields;

/** What tests let fail or hang, and whose calls they count. */
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
} as const;
type Named = keyof typeof calls | `pipes ${number}`;
const pipesOf = (service: number) =>
  `${servicePath.slice(0, -12)}${`${100 + service}`.padStart(12, '0')}/pipes`;
const nameOf = ({ method, path }: { readonly method: string; readonly path: string }): string => {
  const [, service] = /0001(\d\d)\/pipes$/.exec(path) ?? [];
  if (service) return `pipes ${Number(service)}`;
  const [name] = Object.entries(calls).find(([, each]) => each === `${method} ${path}`) ?? [];
  return name ?? path;
};
/** The answers of a fleet of this number of services with a pipe each, whose calls have the names `pipes 1` to `pipes 99`. */
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

/** What a test sets: of the world, of polls and of the gateway. */
interface Settings extends Partial<Config> {
  readonly pollMs?: number;
  /** The services of a fleet, which stands in place of the world's two. */
  readonly services?: number;
  /** The bytes by which each answer is larger. */
  readonly filler?: number;
  /** Whether each answer is another one. */
  readonly isChanging?: boolean;
}

const startWith = async ({ pollMs, filler = 0, isChanging, services, ...config }: Settings) => {
  /** Held calls, by words of `calls` or for `all`, and the statuses that credentials get. */
  const held = new Map<string, PromiseWithResolvers<void>>();
  const refused = new Map<string, number>();
  /** The states of pipes of a fleet, by the numbers of their services. */
  const changed = new Map<string, string>();
  const { world, ...stack } = await openLive({
    config: { maxRetries: 0, ...config },
    ...(pollMs && { gateway: { pollMs: { management: pollMs, observability: pollMs } } }),
    management: async (call) => {
      await (held.get('all') ?? held.get(nameOf(call)))?.promise;
      const authorization = `${call.headers.authorization}`;
      const status = refused.get(authorization);
      if (status) return json({ status, error: `${authorization} is refused` }, status);
      const known = await world.management(call);
      const answer = (known.status === 200 && fleetOf(services, call.path, changed)) || known;
      const more = 'x'.repeat(filler) + (isChanging ? stack.calls.length : '');
      return { ...answer, body: answer.body.replace('"name"', `"description":"${more}","name"`) };
    },
  });
  // Before it stops.
  onTestFinished(() => {
    for (const { resolve } of held.values()) resolve();
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

/** All of a test, opened with its first step. */
const open = async (settings: Settings) => {
  const clock = stopTicking();
  const { gateway, ...opened } = await startWith(settings);
  const state = { ...opened, gateway, clock, seen: [] as Seen[], requests: 0, closed: 0 };
  gateway.server.on('request', (_, response) => {
    state.requests += 1;
    response.once('close', () => {
      state.closed += 1;
    });
  });
  return { ...state, state, timers: vi.getTimerCount() };
};
let settings: Settings = {};
let opening: ReturnType<typeof open> | undefined;
let isAfterTime = false;
const opened = () => {
  if (opening) return opening;
  onTestFinished(() => {
    [settings, opening, isAfterTime] = [{}, undefined, false];
  });
  opening = open(settings);
  return opening;
};
/** Must come before all steps. */
export const configure = (given: Settings): void => {
  settings = given;
};

const see = async (name: string, more: Partial<Seen> = {}): Promise<Seen> => {
  const one = { name, events: [], told: 0, end: () => undefined, leave: () => {}, ...more };
  (await opened()).seen.push(one);
  onTestFinished(one.leave);
  return one;
};

interface Asking {
  readonly times?: number;
  /** The name of a credential. */
  readonly as?: string;
  readonly anew?: boolean;
  readonly by?: 'events' | 'JSON';
}
type Headers = Readonly<Record<string, string>>;
type Way = (name: string, what: Field, headers: Headers) => Promise<unknown>;

const watch: Way = async (name, what, given) => {
  const { seen, url, log } = await opened();
  const id = `${name}-${seen.length}`;
  const leaving = new AbortController();
  const { signal } = leaving;
  let [isOver, isComplete] = [false, false];
  const one = await see(name, {
    leave: () => leaving.abort(),
    end: () => {
      if (!isOver) return undefined;
      const reason = new RegExp(`"requestId":"${id}".*"ended":"(.*?)"`).exec(log())?.[1];
      return isComplete || signal.aborted ? (reason ?? 'refused') : 'cut off';
    },
  });
  const headers = { ...given, 'x-request-id': id };
  subscribe(url, `subscription { ${fields[what]} }`, { headers, signal }).then(
    async (stream) => {
      one.events = stream.events;
      await stream.ended;
      [isOver, isComplete] = [true, stream.isComplete];
    },
    // It has left before it was opened.
    () => undefined,
  );
};
const ask: Way = async (name, what, headers) => {
  const { query } = await opened();
  const one = await see(name);
  query(`{ ${fields[what]} }`, { headers }).then(({ body }) => {
    one.events = [body];
  });
};
const take: Way = async (name, what, { accept, ...headers }) => {
  const document = `${what.startsWith('stop') ? 'mutation' : ''} { ${fields[what]} }`;
  const options = { headers, ...(accept && { accept }) };
  const { parts, leave } = askInParts(await opened(), document, options);
  await see(name, { events: parts, leave });
};

/** What a client does: it watches, asks once, or takes a response in parts. */
const clientOf = (name: string) => {
  const step =
    (way: Way) =>
    (what: Field, { times = 1, as: key, anew, by }: Asking = {}): Step =>
    async () => {
      const { state, clock } = await opened();
      const expected = state.requests + times;
      const headers = {
        ...(key && { 'management-authorization': authorizationOf(key) }),
        ...(anew && { 'cache-control': 'no-cache' }),
        ...(by && { accept: by === 'events' ? ofEvents : 'application/json' }),
      };
      for (let number = 0; number < times; number += 1) await way(name, what, headers);
      await clock.still(() => state.requests >= expected);
    };
  return {
    watches: step(watch),
    asks: step(ask),
    takes: step(take),
    /** The first of the streams or responses of this name that are open. */
    leaves: async () => {
      const { state, clock } = await opened();
      const expected = state.closed + 1;
      present(state.seen.find((each) => each.name === name && each.end() === undefined)).leave();
      await clock.still(() => state.closed >= expected);
    },
  };
};
export const [A, B, C, D] = [clientOf('A'), clientOf('B'), clientOf('C'), clientOf('D')];
export const [E, F, G, Q] = [clientOf('E'), clientOf('F'), clientOf('G'), clientOf('Q')];

type Opened = Awaited<ReturnType<typeof open>>;
const step =
  (act: (world: Opened) => unknown): Step =>
  async () =>
    act(await opened());

export const pass =
  (seconds: number): Step =>
  async () => {
    await passTime((await opened()).clock, seconds * 1000);
    isAfterTime = true;
  };
export const write = (what: Field) =>
  step(({ clock, query }) => clock.until(query(`mutation { ${fields[what]} }`)));
export const keyFails = (key: string, status: number) =>
  step(({ refused }) => refused.set(authorizationOf(key), status));
export const keyWorks = (key: string) =>
  step(({ refused }) => refused.delete(authorizationOf(key)));
export const hangs = (name: Named | 'all') =>
  step(({ held }) => held.set(name, Promise.withResolvers()));
const answer = (name: Named | 'all', status?: number) =>
  step(({ world, held }) => {
    const [, service] = /^pipes (\d+)$/.exec(name) ?? [];
    const [, call = name] = Object.entries(calls).find(([each]) => each === name) ?? [];
    world.fail(service ? `GET ${pipesOf(Number(service))}` : call, status);
    held.get(name)?.resolve();
    held.delete(name);
  });
export const fails = (name: Named, status: number) => answer(name, status);
export const works = (name: Named | 'all') => answer(name);
export const pipeIs = (state: string, index = 0) =>
  step(({ world }) => world.states.splice(index, 1, state));
export const pipesAre = (state: string) => step(({ world }) => world.states.fill(state));
export const fleetPipeIs = (state: string, service: number) =>
  step(({ changed }) => changed.set(`${service}`, state));
export const noAlerts = step(({ world }) => world.alerts.splice(0));
export const addAlerts = (count: number) =>
  step(({ world }) => {
    const alert = { id: 'a2', name: 'lag', state: 'OK', dashboard: 'd2' };
    for (let more = count; more > 0; more -= 1) world.alerts.push({ ...alert });
  });
export const alertsAre = (state: string) =>
  step(({ world }) => {
    for (const alert of world.alerts) alert.state = state;
  });
export const gatewayStops = step(({ gateway }) => void gateway.close());

export const between = (least: number, most: number): unknown =>
  expect.toSatisfy((count) => count >= least && count <= most, `${least} to ${most}`);
export const atLeast = (least: number): unknown => between(least, Infinity);
export const atMost = (most: number): unknown => between(0, most);

const newsOf = ({ events, told, end }: Seen): readonly string[] => {
  const reason = end();
  return [...events.flatMap(itemsOf), ...(reason ? [`end: ${reason}`] : [])].slice(told);
};
/** Of more than three the first and the last one. */
const shortened = (items: readonly string[]): string =>
  (items.length > 3 ? [items[0], '…', items.at(-1)] : items).join('; ');
/** Equal streams of the same name are told together. */
const textOfNews = (seen: readonly Seen[]): string => {
  const texts = seen
    .map((each) => [each.name, shortened(newsOf(each))] as const)
    .flatMap(([name, text]) => (text ? [`${name}: ${text}`] : []));
  const told = [...Map.groupBy(texts, (text) => text)].map(([text, { length }]) =>
    length > 1 ? `${length} ${text}` : text,
  );
  return told.join(' | ') || '-';
};

export const carryOut = carryOutWith(async () => {
  await settled();
});

/** Numbers of calls by their names, of what the gateway has, or the names of all calls in their order. */
type Facts = Readonly<Record<string, unknown>>;

/**
 * Carries out steps, and compares what has come since the news before: for each stream, query or response the values of its
 * events, their codes in parentheses, and the end; `-` for nothing, and `…` for whatever it is. Waits until that has come, if
 * the last step is no time. The clock stands still between steps. At first all pipes are Running.
 */
export const news = async (expected: string, ...steps: readonly (Step | Facts)[]) => {
  const { seen, clock, gateway, timers, log, refused, ...stack } = await opened();
  for (const each of steps) {
    if (typeof each !== 'function') continue;
    isAfterTime = false;
    await carryOut(each);
  }
  const isOpen = () => expected !== '…' && textOfNews(seen) !== expected;
  // What needs no time may need turns of the event loop.
  for (let turns = 0; turns < 40 && isOpen(); turns += 1) await settled();
  for (let waits = 0; waits < 1200 && !isAfterTime && isOpen(); waits += 1) {
    await passTime(clock, 100);
  }
  isAfterTime = false;
  if (expected !== '…') expect(textOfNews(seen)).toBe(expected);

  const names = stack.calls.map(nameOf);
  const counts: Facts = {
    ...{ ...gateway.streams(), calls: names.length, callList: names },
    timers: vi.getTimerCount() - timers,
  };
  const facts = steps.find((each) => typeof each !== 'function') ?? {};
  const found = Object.keys(facts).map((name) => [
    name,
    counts[name] ?? names.filter((each) => each === name).length,
  ]);
  expect(Object.fromEntries(found)).toEqual(facts);

  for (const each of seen) each.told += newsOf(each).length;
  for (const { events } of expected === '…' ? [] : seen) {
    // Each event that is not whole shows more than the one before.
    const filling = events.filter(({ extensions }) => extensions?.progress);
    const ready = filling.map(({ extensions }) => extensions.progress.ready);
    expect(ready).toEqual([...new Set(ready)].sort((one, other) => one - other));
    const shown = filling.map(({ data }) => JSON.stringify(data ?? {}).split('"state"').length);
    expect(shown).toEqual(shown.toSorted((one, other) => one - other));
  }
  const shown = log() + JSON.stringify(seen.map(({ events }) => events));
  for (const key of refused.keys()) expect(shown).not.toContain(key.replace('Basic ', ''));
};

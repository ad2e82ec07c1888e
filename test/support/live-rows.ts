import { expect, it, onTestFinished } from 'vitest';
import { json } from './harness.ts';
import {
  ofService,
  organizationId,
  pass,
  pipeIds,
  pipePath,
  readsOf,
  servicePath,
  settled,
  startLive,
} from './live-world.ts';
import { stopTime } from './pacing/time.ts';
import { type Event, subscribe } from './subscribe.ts';

const ofService2 = ofService.replace(/2"$/, '3"');
const organization = (selected: string) => `organization(id: "${organizationId}") { ${selected} }`;
const pipeOf = (index: number, selected: string) =>
  `pipe(${ofService}, pipeId: "${pipeIds[index]}") { ${selected} }`;

/** What rows watch, ask for and write, by the words that they have for it. */
const fields: Readonly<Record<string, string>> = {
  pipe: pipeOf(0, 'state'),
  'pipe 1': pipeOf(1, 'state'),
  'pipe 2': pipeOf(2, 'state'),
  name: pipeOf(0, 'name'),
  pipes: `pipes(${ofService}) { state service { name } }`,
  service: `service(${ofService}) { name }`,
  backup: `service(${ofService}) { pipes { state } backupConfiguration { backupPeriodInHours } }`,
  organization: organization('name'),
  services: organization('services { name pipes { state } }'),
  'all pipes': organization('pipes { items { state } unreadServices { service { name } code } }'),
  nothing: organization('__typename'),
  alerts: 'alerts { state dashboard { name } }',
  'alerts of a fragment': '...A } fragment A on Subscription { ... { alerts { name } }',
  'stop the pipe': `stopPipe(input: {${ofService}, pipeId: "${pipeIds[0]}"}) { userErrors { code } }`,
  'stop a pipe of service 2': `stopPipe(input: {${ofService2}, pipeId: "${pipeIds[2]}"}) { userErrors { code } }`,
  'scale the service': `updateServiceScaling(input: {${ofService}, numReplicas: 3}) { userErrors { code } }`,
};

/** What rows let fail or hang, and whose calls they count. */
const calls: Readonly<Record<string, string>> = {
  pipe: `GET ${pipePath()}`,
  'pipe 1': `GET ${pipePath(1)}`,
  'pipe 2': `GET ${pipePath(2)}`,
  pipes: `GET ${servicePath}/pipes`,
  'pipes of service 2': `GET ${servicePath.replace(/2$/, '3')}/pipes`,
  service: `GET ${servicePath}`,
  services: `GET /v1/organizations/${organizationId}/services`,
  organization: `GET /v1/organizations/${organizationId}`,
  backup: `GET ${servicePath}/backupConfiguration`,
  'dashboard d2': 'GET /api/v2/dashboards/d2',
  stop: `PATCH ${pipePath()}/state`,
};

/** The credential of a name; in capitals it is the same one, spelt otherwise, and nobody has none. */
const authorizationOf = (name: string): string => {
  const value = btoa(`${name.toLowerCase()}:secret`);
  if (name === 'nobody') return '';
  return name === name.toLowerCase() ? `Basic ${value}` : `basic  ${value.replaceAll('=', '')}`;
};

/** A stream, or the answer to a query. */
interface Seen {
  readonly name: string;
  events: readonly Event[];
  /** Why it ended. */
  readonly end: () => string | undefined;
  /** How many of its events, with its end, earlier lines have told. */
  told: number;
  readonly leave: () => void;
}

const textOf = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(textOf).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return `${value}`;
  return Object.values(value).map(textOf).join(' ');
};

/** The values of an event, and in parentheses its codes, and how it tells that it is the last one. */
const eventOf = ({ data, errors = [], extensions }: Event): string => {
  const codes = errors.map(({ extensions }: Event) => {
    const { code, limit, allowed, retryable, retryAfterSeconds } = extensions;
    if (!limit) return code;
    const retry = retryAfterSeconds ? `, retry after ${retryAfterSeconds} s` : ', retry';
    return `${code} ${allowed} ${limit}${retryable ? retry : ''}`;
  });
  const told = [...new Set(codes), ...(extensions?.ended ? [extensions.ended] : [])];
  const values = data === undefined ? [] : [textOf(data)];
  return [...values, ...(told.length > 0 ? [`(${told.join(', ')})`] : [])].join(' ');
};

/** Settings, as they stand in parentheses behind the title of a row. */
const startWith = async (settings: string) => {
  const given = settings.matchAll(/(\w+) (\w+)/g);
  const { pollMs, filler, isChanging, ...config } = Object.fromEntries(
    [...given].map(([, name, value]) => [name, value === 'off' ? undefined : Number(value)]),
  );
  /** Held calls, by words of `calls` or for `all`, and the statuses that credentials get. */
  const held = new Map<string, PromiseWithResolvers<void>>();
  const refused = new Map<string, number>();
  const { world, ...stack } = await startLive({
    config: { maxRetries: 0, ...config },
    ...(pollMs && { gateway: { pollMs: { management: pollMs, observability: pollMs } } }),
    management: async (call) => {
      const name = Object.keys(calls).find((each) => calls[each] === `${call.method} ${call.path}`);
      await (held.get('all') ?? held.get(name ?? ''))?.promise;
      const authorization = `${call.headers.authorization}`;
      const status = refused.get(authorization);
      if (status) return json({ status, error: `${authorization} is refused` }, status);
      const answer = await world.management(call);
      const more = 'x'.repeat(filler ?? 0) + (isChanging ? stack.calls.length : '');
      return { ...answer, body: answer.body.replace('"name"', `"description":"${more}","name"`) };
    },
  });
  onTestFinished(async () => {
    for (const { resolve } of held.values()) resolve();
    await stack.close();
  });
  return { ...stack, world, held, refused };
};

/**
 * Rows in text form: a title, with settings in parentheses, and indented below it lines of steps, an arrow and what has come of
 * them. What is indented more belongs to the line above.
 */
const storiesOf = (text: string) =>
  text
    .trim()
    .replaceAll(/\n {6,}/g, ' ')
    .split(/\n(?= {2}\S)/)
    .map((row) => {
      const [title = '', ...lines] = row.trim().split(/\n\s*/);
      const [, settings = ''] = / \((\w+ \w+(?:, \w+ \w+)*)\)$/.exec(title) ?? [];
      return { title, settings, lines };
    });

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

const play = async ({ settings, lines }: ReturnType<typeof storiesOf>[number]) => {
  const clock = stopTicking();
  const { world, held, refused, ...stack } = await startWith(settings);
  const { gateway } = stack;
  const seen: Seen[] = [];
  let [requests, closed] = [0, 0];
  gateway.server.on('request', (_, response) => {
    requests += 1;
    response.once('close', () => {
      closed += 1;
    });
  });

  const watch = (name: string, document: string, given: Readonly<Record<string, string>>) => {
    const id = `${name}-${seen.length}`;
    const leaving = new AbortController();
    const { signal } = leaving;
    let isOver = false;
    let isComplete = false;
    const one: Seen = {
      ...{ name, events: [], told: 0, leave: () => leaving.abort() },
      end: () => {
        if (!isOver) return undefined;
        const reason = new RegExp(`"requestId":"${id}".*"ended":"(.*?)"`).exec(stack.log())?.[1];
        return isComplete || signal.aborted ? (reason ?? 'refused') : 'cut off';
      },
    };
    seen.push(one);
    onTestFinished(one.leave);
    const headers = { ...given, 'x-request-id': id };
    subscribe(stack.url, document, { headers, signal }).then(
      async (stream) => {
        one.events = stream.events;
        await stream.ended;
        ({ isComplete } = stream);
        isOver = true;
      },
      // It has left before it was opened.
      () => undefined,
    );
  };
  const ask = async (name: string, document: string, headers: Readonly<Record<string, string>>) => {
    const one: Seen = { ...{ name, events: [], told: 0 }, end: () => undefined, leave: () => {} };
    seen.push(one);
    one.events = [(await stack.query(document, { headers })).body];
  };

  const steps: readonly (readonly [RegExp, (...parts: string[]) => unknown])[] = [
    [
      /^(?:(\d+) )?(\w+) (watch|asks?)(?:es)? (.+?)(?: as (\w+))?( anew)?$/,
      async (count, name = '', verb, what = '', key, anew) => {
        const expected = requests + Number(count ?? 1);
        const headers = {
          ...(key && { 'management-authorization': authorizationOf(key) }),
          ...(anew && { 'cache-control': 'no-cache' }),
        };
        for (let number = 0; number < Number(count ?? 1); number += 1) {
          if (verb === 'watch') watch(name, `subscription { ${fields[what]} }`, headers);
          else void ask(name, `{ ${fields[what]} }`, headers);
        }
        await clock.still(() => requests === expected);
      },
    ],
    [
      /^(stop|scale) (.+?)$/,
      (verb, what) => clock.until(stack.query(`mutation { ${fields[`${verb} ${what}`]} }`)),
    ],
    [
      /^(?:(\d+) )?(\w+) leaves?$/,
      async (count, name) => {
        const staying = seen.filter((each) => each.name === name && each.end() === undefined);
        const leaving = staying.slice(0, Number(count ?? 1));
        const expected = closed + leaving.length;
        for (const each of leaving) each.leave();
        await clock.still(() => closed === expected);
      },
    ],
    [/^([\d.]+) s$/, (seconds) => pass(clock, Number(seconds) * 1000)],
    [/^key (\w+): (\d+)$/, (key = '', status) => refused.set(authorizationOf(key), Number(status))],
    [
      /^alerts: (\w+)$/,
      (state = '') => {
        for (const alert of world.alerts) alert.state = state;
      },
    ],
    [/^no alerts$/, () => void world.alerts.splice(0)],
    [
      /^an alert of d2$/,
      () => world.alerts.push({ id: 'a2', name: 'lag', state: 'OK', dashboard: 'd2' }),
    ],
    [/^(.+): hangs$/, (name = '') => held.set(name, Promise.withResolvers())],
    [
      /^(.+): (\d+|ok)$/,
      (name = '', status) => {
        if (name !== 'all') {
          world.fail(calls[name] ?? '', status === 'ok' ? undefined : Number(status));
        }
        held.get(name)?.resolve();
        held.delete(name);
      },
    ],
    [
      /^pipe( \d)?: ([A-Z]\w+)$/,
      (index, state = '') => void world.states.splice(Number(index ?? 0), 1, state),
    ],
    [/^pipes: ([A-Z]\w+)$/, (state = '') => void world.states.fill(state)],
    [/^the gateway stops$/, () => void gateway.close()],
  ];
  const act = async (step: string) => {
    const [pattern, does] = steps.find(([each]) => each.test(step)) ?? [];
    if (!does) throw new Error(`No such step: ${step}`);
    await does(...(pattern?.exec(step)?.slice(1) ?? []));
    await settled();
  };

  const newsOf = ({ events, told, end }: Seen): readonly string[] => {
    const reason = end();
    const all = events.map(eventOf);
    return (reason === undefined ? all : [...all, `end: ${reason}`]).slice(told);
  };
  /** What has come since the line before: equal streams of the same name are told together. */
  const news = (): string => {
    const told = new Map<string, number>();
    for (const each of seen) {
      const text = newsOf(each).join('; ');
      const line = `${each.name}: ${text}`;
      if (text) told.set(line, (told.get(line) ?? 0) + 1);
    }
    const all = [...told].map(([line, count]) => (count > 1 ? `${count} ${line}` : line));
    return all.join(' | ') || '-';
  };
  /** A fact as it is; one with `at most` or `at least` remains as it was told where it is true. */
  const factOf = (told: string): string => {
    const [, name = '', , bound, number] =
      /^(?:\d+ )?(.*?)( (at most|at least))?(?: (\d+))?$/.exec(told) ?? [];
    const counts = new Map(Object.entries(gateway.streams()));
    const counted = counts.get(name);
    if (counted !== undefined) return `${counted} ${name}`;
    const count =
      name === 'calls'
        ? stack.calls.length
        : readsOf(stack.calls, calls[name]?.split(' ')[1] ?? '');
    const isTrue = bound === 'at most' ? count <= Number(number) : count >= Number(number);
    return bound && isTrue ? told : `${name} ${count}`;
  };

  for (const line of lines) {
    const [, all = '', expected, facts = ''] = /^(.*?) ?-> (.*?)(?: \/ (.*))?$/.exec(line) ?? [];
    if (expected === undefined) throw new Error(`No arrow: ${line}`);
    for (const step of all.split(', ').filter(Boolean)) await act(step);
    for (let waits = 0; waits < 1200 && news() !== expected; waits += 1) {
      // Much needs no time, but turns of the event loop.
      await (waits < 20 ? settled() : pass(clock, 100));
    }
    const told = facts.split(', ').filter(Boolean).map(factOf).join(', ');
    expect([all, news(), told]).toEqual([all, expected, facts]);
    for (const each of seen) each.told += newsOf(each).length;
  }
  const secrets = [...refused.keys()].map((each) => each.replace('Basic ', ''));
  const shown = stack.log() + JSON.stringify(seen.map(({ events }) => events));
  for (const secret of secrets) expect(shown).not.toContain(secret);
};

/**
 * A test for each row. Each of its lines has steps, an arrow, and what has come since the line before: for each stream or query
 * the values of its events, their codes in parentheses, and the end; `-` for nothing. Behind a slash are the calls so far, and
 * what the gateway counts. Lines wait until what they tell of has come. Pipes are Running at first.
 */
export const rows = (text: string): void => {
  const stories = storiesOf(text).map((story) => [story.title, story] as const);
  it.each(stories)('%s', (_, story) => play(story));
};

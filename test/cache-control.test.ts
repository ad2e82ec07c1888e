import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Config } from '../src/config.ts';
import { createGate } from './fault-gate.ts';
import {
  type Answering,
  credentials,
  data,
  type GraphQLAnswer,
  json,
  paced,
  type Stack,
  startStack,
} from './harness.ts';
import { postBytes } from './hostile-raw.ts';
import { type Clock, stopTime } from './paced-clock.ts';
import { createBackend } from './world-backend.ts';
import { withIds, withNames } from './world-ids.ts';
import { worldOf } from './worlds.ts';

const document = '{ alerts { name } }';

let clock: Clock;
beforeEach(() => {
  clock = stopTime();
});

/** Alerts whose name counts how often they were read. */
const countingReads = (): Answering => {
  let reads = 0;
  return () => {
    reads += 1;
    return data([{ id: 'a1', name: `read ${reads}` }]);
  };
};

const start = async (
  observability: Answering = countingReads(),
  config: Partial<Config> = {},
  management: Answering = () => json({}, 500),
): Promise<Stack> => {
  const stack = await startStack({
    management,
    observability,
    config: { ...paced, ...config },
  });
  onTestFinished(() => stack.close());
  return stack;
};

interface Shown {
  readonly name: string | undefined;
  readonly age: string | null;
}

const shown = ({ headers, body }: Pick<GraphQLAnswer, 'headers' | 'body'>): Shown => ({
  name: body.data?.alerts?.[0]?.name,
  age: headers.get('age'),
});

const ways: readonly (readonly [
  method: string,
  send: (stack: Stack, headers: Readonly<Record<string, string>>) => Promise<Shown>,
])[] = [
  ['POST', async (stack, headers) => shown(await stack.query(document, { headers }))],
  [
    'GET',
    async ({ url }, headers) => {
      const response = await fetch(`${url}?query=${encodeURIComponent(document)}`, {
        headers: { ...credentials, ...headers },
      });
      return shown({ headers: response.headers, body: await response.json() });
    },
  ],
];

const control = (value: string): Readonly<Record<string, string>> => ({ 'cache-control': value });

describe.each(ways)('two seconds after a read a %s', (_, send) => {
  const second = async (headers: Readonly<Record<string, string>>) => {
    const stack = await start();
    expect(await send(stack, {})).toEqual({ name: 'read 1', age: null });
    clock.advance(2000);
    return { answer: await send(stack, headers), calls: stack.calls.length };
  };

  it('that says nothing is answered with what was read', async () => {
    expect(await second({})).toEqual({ answer: { name: 'read 1', age: '2' }, calls: 1 });
  });

  it.each([
    'no-cache',
    'No-Cache',
    'NO-CACHE',
    'no-cache, max-age=60',
    'max-age=60,no-cache',
    'max-age=60 , no-cache ,',
    'no-transform, no-cache',
    'no-cache=x',
    'no-store',
    'max-age=0',
    'max-age=1',
    'Max-Age=1',
    'MAX-AGE=1',
    'max-age = 1',
    'max-age="1"',
    'max-age=01',
    'max-age=60, max-age=1',
    'max-age=1, max-age=60',
    'max-stale=60, max-age=1',
    'max-age=abc',
    'max-age=',
    'max-age',
    'max-age=-1',
    'max-age=+60',
    'max-age=60s',
    'max-age=6e1',
    'max-age=60.5',
    'max-age="60',
  ])('that says %j is answered with a new read', async (value) => {
    expect(await second(control(value))).toEqual({
      answer: { name: 'read 2', age: null },
      calls: 2,
    });
  });

  it.each([
    '',
    ',',
    'max-age=2',
    'max-age=3',
    'max-age=60',
    'max-age="60"',
    'max-age=0060',
    'max-age=31536000',
    'max-age=2147483648',
    'max-age=99999999999999999999',
    'max-stale',
    'max-stale=60',
    'no-transform',
    'only-if-cached',
    'nocache',
    'not-no-cache',
    'max-age2=1',
    'private',
  ])('that says %j is answered with what was read', async (value) => {
    expect(await second(control(value))).toEqual({
      answer: { name: 'read 1', age: '2' },
      calls: 1,
    });
  });
});

it('a header that comes twice counts as one with both values', async () => {
  const stack = await start();
  await stack.query(document);
  clock.advance(2000);
  const send = (...values: readonly string[]) =>
    postBytes(stack.url, {
      document,
      headers: [
        ...Object.entries(credentials),
        ...values.map((value) => ['Cache-Control', value] as const),
      ],
    });
  expect(await send('max-age=60', 'no-transform')).toContain('read 1');
  expect(await send('max-age=60', 'max-age=1')).toContain('read 2');
  expect(stack.calls).toHaveLength(2);
});

it('what is read because a request wants it new serves the requests after it', async () => {
  const stack = await start();
  await stack.query(document);
  clock.advance(1);
  expect(shown(await stack.query(document, { headers: control('no-cache') })).name).toBe('read 2');
  expect(shown(await stack.query(document)).name).toBe('read 2');
  expect(stack.calls).toHaveLength(2);
});

it('holds for what a mutation selects below its payload too', async () => {
  let reads = 0;
  const stack = await start(({ method }) => {
    if (method === 'POST') return data({ id: 'd1', name: 'made' });
    reads += 1;
    return data([{ id: 'a1', name: `read ${reads}`, dashboard: 'd1' }]);
  });
  const write =
    'mutation { createDashboard(input: { name: "n" }) { dashboard { alerts { name } } } }';
  await stack.query(document);
  const namesAfter = async (headers = {}) =>
    (await stack.query(write, { headers })).body.data.createDashboard.dashboard.alerts;
  expect(await namesAfter()).toEqual([{ name: 'read 1' }]);
  clock.advance(1);
  expect(await namesAfter(control('no-cache'))).toEqual([{ name: 'read 2' }]);
});

describe('a read under way', () => {
  const alerts = (name: string) => data([{ id: 'a1', name }]);

  it('that was sent before a request came does not answer it if it says no-cache', async () => {
    const gate = createGate();
    const stack = await start(gate.answering);
    const before = stack.query(document);
    const first = await gate.arrived(1);
    clock.advance(1);
    const strict = stack.query(document, { headers: control('no-cache') });
    const second = await gate.arrived(2);
    clock.advance(1);
    // Sent since this one came, but not since the next one.
    const joining = stack.query(document);
    await stack.query('{ __typename }');
    const stricter = stack.query(document, { headers: control('max-age=0') });
    const third = await gate.arrived(3);
    third.answer(alerts('third'));
    second.answer(alerts('second'));
    first.answer(alerts('first'));
    const answers = await Promise.all([before, strict, joining, stricter]);
    expect(answers.map((answer) => shown(answer).name)).toEqual([
      'first',
      'second',
      'second',
      'third',
    ]);
    expect(stack.calls).toHaveLength(3);
  });

  it('answers a request that says max-age if it was sent since then', async () => {
    const gate = createGate();
    const stack = await start(gate.answering);
    const before = stack.query(document);
    const first = await gate.arrived(1);
    clock.advance(2000);
    const joining = stack.query(document, { headers: control('max-age=2') });
    const apart = stack.query(document, { headers: control('max-age=1') });
    (await gate.arrived(2)).answer(alerts('second'));
    expect(shown(await apart).name).toBe('second');
    first.answer(alerts('first'));
    for (const answer of await Promise.all([before, joining])) {
      expect(shown(answer)).toEqual({ name: 'first', age: null });
    }
    expect(stack.calls).toHaveLength(2);
  });

  it('that waits to be sent answers every request that came before', async () => {
    const stack = await start(countingReads(), {
      observabilityRate: { calls: 1, windowMs: 10_000 },
    });
    await stack.query('{ alert(id: "a1") { id name } }');
    const waiting = stack.query(document);
    const strict = stack.query(document, { headers: control('no-cache') });
    const stricter = stack.query(document, { headers: control('max-age=0') });
    for (const answer of await clock.until(Promise.all([waiting, strict, stricter]))) {
      expect(shown(answer)).toEqual({ name: 'read 2', age: null });
    }
    expect(stack.calls.map(({ path }) => path)).toEqual(['/api/v2/alerts/a1', '/api/v2/alerts']);
  });
});

it('no-cache takes what another request has read since it came', async () => {
  const backend = createBackend(
    worldOf({
      organizations: 1,
      services: 1,
      pipesPerService: 1,
      dashboards: 0,
      tilesPerDashboard: 0,
      alerts: 0,
    }),
  );
  const gate = createGate();
  const stack = await start(backend.observability, {}, (call) =>
    call.path.endsWith('/services') ? gate.answering(call) : backend.management(call),
  );
  const page = withIds('{ organization(id: "organization-1") { services { pipes { name } } } }');
  const strict = stack.query(page, { headers: control('no-cache') });
  const list = await gate.arrived(1);
  clock.advance(1000);
  await stack.query(
    withIds(
      '{ service(organizationId: "organization-1", serviceId: "service-1") { pipes { name } } }',
    ),
  );
  clock.advance(1000);
  list.answer(await backend.management(list.call));
  const { body, headers } = await strict;
  expect(body.data.organization.services).toEqual([{ pipes: [{ name: 'Pipe 1' }] }]);
  expect(headers.get('age')).toBe('1');
  const services = 'GET /v1/organizations/organization-1/services';
  expect(stack.callList().map(withNames)).toEqual([services, `${services}/service-1/pipes`]);
});

describe('where no call is left, five seconds after a read,', () => {
  const late = async (value: string | undefined, pacingWaitMs: number) => {
    const stack = await start(countingReads(), {
      observabilityRate: { calls: 1, windowMs: 10_000 },
      pacingWaitMs,
    });
    await stack.query(document);
    clock.advance(5000);
    const headers = value === undefined ? {} : control(value);
    const { body, headers: answered } = await clock.until(stack.query(document, { headers }));
    return { ...shown({ body, headers: answered }), ...body.extensions, error: body.errors?.[0] };
  };

  it.each([undefined, 'max-age=5', 'max-age=60', 'no-transform'])(
    'a request that says %j has what was read',
    async (value) => {
      expect(await late(value, 25_000)).toEqual({ name: 'read 1', age: '5', staleSeconds: 5 });
    },
  );

  it.each(['no-cache', 'max-age=0', 'max-age=4', 'no-store', 'max-age=abc'])(
    'one that says %j waits for a new read',
    async (value) => {
      expect(await late(value, 25_000)).toEqual({ name: 'read 2', age: null });
    },
  );

  it.each(['no-cache', 'max-age=4'])(
    'one that says %j is refused rather than shown what was read',
    async (value) => {
      const { name, age, error } = await late(value, 1000);
      expect({ name, age }).toEqual({ name: undefined, age: null });
      expect(error.extensions).toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: 5 });
    },
  );
});

describe('nothing lets a browser or a proxy keep an answer:', () => {
  const expectUnkept = ({ status, headers }: Pick<GraphQLAnswer, 'status' | 'headers'>): void => {
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    for (const name of ['etag', 'last-modified', 'expires']) expect(headers.has(name)).toBe(false);
  };

  it('neither one that was read for it, nor one from memory, fresh or not', async () => {
    const stack = await start(countingReads(), {
      observabilityRate: { calls: 1, windowMs: 10_000 },
    });
    const ages: (string | null)[] = [];
    for (const wait of [0, 2000, 3000]) {
      clock.advance(wait);
      const answer = await stack.query(document);
      expectUnkept(answer);
      ages.push(answer.headers.get('age'));
    }
    expect(ages).toEqual([null, '2', '5']);
  });

  it('and a conditional request has a whole answer', async () => {
    const stack = await start();
    await stack.query(document);
    for (const headers of [
      { 'if-none-match': '*' },
      { 'if-none-match': '"x"' },
      { 'if-modified-since': new Date(Date.now() + 60_000).toUTCString() },
    ]) {
      const response = await fetch(`${stack.url}?query=${encodeURIComponent(document)}`, {
        headers: { ...credentials, ...headers },
      });
      expectUnkept(response);
      expect((await response.json()).data).toEqual({ alerts: [{ name: 'read 1' }] });
    }
  });
});

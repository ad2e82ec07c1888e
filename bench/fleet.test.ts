import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { setTimeout as pass } from 'node:timers/promises';
import { Pool } from 'undici';
import { fleetMissesOf } from './bounds.ts';
import { headersOf } from './clients.ts';
import { createFleetScenarios, type FleetScenario } from './fleet.ts';
import { fleetFiguresOf, partFiguresOf } from './fleet-figures.ts';
import { sizesReport } from './fleet-report.ts';
import { kindsOf, readFleetSize, writeFleetSize } from './fleet-size.ts';
import { type Goodput, measureGoodput } from './goodput.ts';
import { nameOf } from './names.ts';
import { type Arrival, askInParts, createPartReader } from './parts.ts';
import { isWhole, readAnswer } from './shown.ts';
import type { View } from './viewers.ts';

const size = { services: 5, sleeping: 1, slow: 0 };

test('services that sleep and slow ones are spread over the fleet, and none is both', () => {
  const numbersOf = (kind: string, fleet: Parameters<typeof kindsOf>[0]): readonly number[] =>
    kindsOf(fleet).flatMap((each, service) => (each === kind ? [service] : []));
  const fleet = { services: 120, sleeping: 10, slow: 3 };
  const sleeping = numbersOf('sleeping', fleet);
  assert.deepEqual(sleeping, [11, 23, 35, 47, 59, 71, 83, 95, 107, 119]);
  assert.equal(numbersOf('slow', fleet).length, 3);
  assert.equal(numbersOf('prompt', fleet).length, 107);
  assert.deepEqual(numbersOf('sleeping', { services: 3, sleeping: 0, slow: 1 }), []);
  assert.deepEqual(readFleetSize(writeFleetSize(fleet)), fleet);
  assert.deepEqual(readFleetSize(undefined), { services: 0, sleeping: 0, slow: 0 });
});

const stamp = (thing: string, at = Date.now()) => ({ thing, caller: 0, version: 0, at });
const pipe = (thing: string, at?: number) => ({ name: nameOf(stamp(thing, at)), state: 'Running' });
const service = (thing: string) => ({ name: nameOf(stamp(thing)) });

const asleep = { message: 'no', extensions: { code: 'SERVICE_NOT_RUNNING' } };
const limited = { message: 'no', extensions: { code: 'RATE_LIMITED' } };

test('a page is whole without the pipes of services that sleep, if the answer says which they are', () => {
  const page = { body: '', things: ['service 3.0', 'pipe 3.0.0', 'service 3.1'], asleep: 1 };
  const awake = { ...service('service 3.0'), pipes: [pipe('pipe 3.0.0')] };
  const whole = (errors: readonly object[], pipes: unknown = null, expected = 1): boolean => {
    const data = { services: [awake, { ...service('service 3.1'), pipes }] };
    const shown = readAnswer(JSON.stringify({ data, errors }));
    return isWhole(shown, { ...page, asleep: expected }, 0);
  };
  assert.equal(whole([asleep]), true);
  // The other servers report it this way.
  assert.equal(whole([{ message: 'the upstream answered 424' }]), true);
  assert.equal(whole([limited]), false);
  assert.equal(whole([{ message: 'the upstream answered 429' }]), false);
  assert.equal(whole([]), false);
  assert.equal(whole([asleep, limited]), false);
  assert.equal(whole([asleep], null, 0), false);
  assert.equal(whole([asleep], []), false);
});

test('the longest wait of the calls is read from an answer that tells', () => {
  const upstream = [{ waitedMilliseconds: 3.5 }, { waitedMilliseconds: 1200 }];
  const answer = JSON.stringify({ data: {}, extensions: { upstream } });
  assert.equal(readAnswer(answer).waited, 1200);
  assert.equal(readAnswer('{"data":{}}').waited, undefined);
});

const multipart = (...payloads: readonly object[]): string =>
  `\r\n---${payloads
    .map((each) => `\r\ncontent-type: application/json\r\n\r\n${JSON.stringify(each)}\r\n---`)
    .join('')}--\r\n`;

test('parts are read as soon as they are complete, wherever the body is cut', () => {
  const payloads = [
    { data: { a: 1 }, hasNext: true },
    { incremental: [], hasNext: false },
  ];
  const text = multipart(...payloads);
  for (let cut = 0; cut <= text.length; cut += 1) {
    const read = createPartReader();
    assert.deepEqual([...read(text.slice(0, cut)), ...read(text.slice(cut))], payloads);
  }
  const read = createPartReader();
  const end = text.indexOf('\r\n---', text.indexOf('"a"')) + '\r\n---'.length;
  assert.deepEqual(read(text.slice(0, end)), payloads.slice(0, 1));
});

/** The parsed answer of a server that sends these chunks of text, 50 ms apart. */
const askFor = async (chunks: readonly string[], isCut = false) => {
  const server = createServer(async (_, response) => {
    response.writeHead(200, { 'content-type': 'multipart/mixed; boundary="-"' });
    for (const chunk of chunks) {
      response.write(chunk);
      await pass(50);
    }
    if (isCut) response.destroy();
    else response.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const pool = new Pool(`http://127.0.0.1:${address.port}`);
  const things = ['service 3.0', 'pipe 3.0.0', 'service 3.1', 'pipe 3.1.0', 'service 3.2'];
  const page = { body: '{"query":"{ page }"}', things, asleep: 1 };
  const parts = await askInParts(pool, headersOf('Apollo Client 4', 0), page);
  await pool.close();
  server.close();
  return { whole: parts.whole, figures: partFiguresOf(parts) };
};

test('an answer in parts is whole in any order of its parts, and only if it ends as it should', async () => {
  const services = ['service 3.0', 'service 3.1', 'service 3.2'].map(service);
  const first = { data: { organization: { services } }, hasNext: true };
  const part = (thing: string) => ({
    incremental: [{ data: { pipes: [pipe(thing)] }, path: [] }],
    hasNext: true,
  });
  const sleeping = { incremental: [{ data: { pipes: null }, errors: [asleep], path: [] }] };
  const parts = [first, part('pipe 3.1.0'), { ...sleeping, hasNext: true }, part('pipe 3.0.0')];
  const chunks = (...payloads: readonly object[]): readonly string[] =>
    multipart(...payloads).split(/(?<=---)/);
  const whole = await askFor(chunks(...parts, { hasNext: false }));
  assert.equal(whole.whole, true);
  assert.equal(whole.figures.services, 3);
  assert.equal(whole.figures.moments, 3);
  assert.equal((await askFor(chunks(...parts))).whole, false);
  assert.equal((await askFor(chunks(...parts.slice(0, 3), { hasNext: false }))).whole, false);
  const cut = await askFor(chunks(...parts, { hasNext: false }).slice(0, 3), true);
  assert.deepEqual([cut.whole, cut.figures.services], [false, 1]);
});

test('a part that comes more than a second after a newer one was overtaken', () => {
  const arrival = (thing: string, at: number, arrived: number): Arrival => {
    return { stamps: [stamp(thing, at)], asleep: 0, milliseconds: arrived, at: arrived };
  };
  const arrivals = [
    arrival('service 3.0', 0, 100),
    arrival('pipe 3.0.0', 5000, 5100),
    arrival('pipe 3.1.0', 4001, 5200),
    arrival('pipe 3.2.0', 3999, 5300),
  ];
  const figures = { services: 3, moments: 3, first: 5.1, last: 5.3, overtaken: 1, held: 1.301 };
  assert.deepEqual(partFiguresOf({ arrivals, whole: true }), figures);
});

const view = (began: number, changes: Partial<View> = {}): View => ({
  ...{ whole: true, began, milliseconds: 500, things: 10, oldest: 2000 },
  ...{ earlier: false, waited: undefined },
  ...changes,
});
const bounds = { whole: 180, prompt: 98, oldest: 240 };
const seen = { scenario: { things: 10 }, besides: [], writes: [], parts: undefined };

test('later views are those asked for after the first whole one has come', () => {
  const views = [
    view(1000, { whole: false, things: 4, oldest: 250_000 }),
    view(60_000, { milliseconds: 20_000 }),
    // Requested before the whole view had come.
    view(79_000, { whole: false }),
    view(80_000),
    view(90_000, { milliseconds: 1001 }),
    view(95_000, { whole: false }),
  ];
  const figures = fleetFiguresOf({ ...seen, views, counts: { refused: 0 } });
  assert.deepEqual(
    [figures.first, figures.later, figures.prompt, figures.whole, figures.oldest],
    [79, 3, 1, 3, 250],
  );
});

test('each bound of a fleet that is missed is told, and none that is just kept', () => {
  const kept = {
    ...seen,
    views: [view(0, { milliseconds: 180_000, oldest: 240_000 }), view(180_000)],
    besides: [view(0, { waited: 1000 })],
    writes: [{ isDone: true, waited: 1000 }],
    counts: { refused: 0 },
  };
  assert.deepEqual(fleetMissesOf(fleetFiguresOf(kept), bounds), []);
  const missed = {
    ...seen,
    views: [view(0, { milliseconds: 180_100, oldest: 240_100 }), view(180_100, { whole: false })],
    besides: [view(0, { waited: 1100, earlier: true }), view(0, { whole: false })],
    writes: [
      { isDone: true, waited: 1200 },
      { isDone: false, waited: 0 },
    ],
    counts: { refused: 2 },
  };
  assert.deepEqual(fleetMissesOf(fleetFiguresOf(missed), bounds), [
    'a first whole view after 180.1 s, not 180 s',
    '0.0 % of the later views whole within a second, not 98 %',
    'an oldest part of 240.1 s, not 240 s',
    '2 calls answered with 429',
    '1 views of an earlier state',
    '1 writes failed',
    '1 small pages not whole',
    'a write waited 1.2 s, not 1 s',
    'a small page waited 1.1 s, not 1 s',
  ]);
  const never = { ...kept, views: [view(0, { whole: false, things: 4, oldest: -Infinity })] };
  const figures = fleetFiguresOf(never);
  assert.deepEqual(fleetMissesOf(figures, bounds), ['never whole: at most 40 %']);
});

/** A fleet small enough to be whole at once within the limits, with Sluice and the exact backend. */
const measure = async (name: 's7' | 's8'): Promise<Goodput<FleetScenario>> => {
  const all = createFleetScenarios(size, 0.2);
  const scenario = all.find((each) => each.name === name);
  if (!scenario) throw new Error(`there is no ${name}`);
  const [outcome] = await measureGoodput(scenario, 'sliding', 1, ['Sluice']);
  if (!outcome) throw new Error('nothing was measured');
  return outcome;
};

test('s7 in small: viewers, a writer and small pages see a fleet with a service that sleeps', async () => {
  const outcome = await measure('s7');
  const figures = fleetFiguresOf(outcome);
  assert.deepEqual([figures.most, figures.refused, figures.earlier], [100, 0, 0]);
  // At 0, 5 and 10 s; at 5 s.
  assert.deepEqual([figures.views, figures.whole, figures.pages, figures.wholePages], [3, 3, 1, 1]);
  assert.deepEqual(
    outcome.writes.map(({ isDone }) => isDone),
    [true],
  );
  assert.notEqual(figures.writeWaits, undefined);
  assert.notEqual(figures.pageWaits, undefined);
  const { text, lines } = sizesReport([outcome]);
  assert.match(text, /^\| +5 \| +3 \| /m);
  assert.equal(lines.length, 1);
});

test('s8 in small: every part of one answer arrives, and none is overtaken', async () => {
  const figures = fleetFiguresOf(await measure('s8'));
  assert.deepEqual([figures.most, figures.whole, figures.refused], [100, 1, 0]);
  assert.deepEqual([figures.parts?.services, figures.parts?.overtaken], [5, 0]);
});

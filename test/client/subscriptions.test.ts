import '../support/client/built.ts';
import { getEventListeners } from 'node:events';
import type { ServerResponse } from 'node:http';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { createClient, SluiceError, TypedDocumentString } from '../../client/src/index.ts';
import { serveGraphql } from './kit.ts';

afterEach(() => vi.restoreAllMocks());

type Data = { readonly n: number | null };
const document = new TypedDocumentString<Data, Record<string, never>>('subscription { n }');

/** What a server does with a connection. */
type Part = (response: ServerResponse) => void;

const next = (event: unknown) => `event: next\ndata: ${JSON.stringify(event)}\n\n`;
const one = next({ data: { n: 1 } });
const two = next({ data: { n: 2 } });
const complete = 'event: complete\ndata:\n\n';

const stays =
  (...texts: readonly string[]): Part =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`:\n\n${texts.join('')}`);
  };
const ends =
  (...texts: readonly string[]): Part =>
  (response) => {
    stays(...texts)(response);
    response.end();
  };
const inCapitals: Part = (response) => {
  response.writeHead(200, { 'content-type': 'Text/Event-Stream;charset=UTF-8' });
  response.write(one);
};
const breaks: Part = (response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(one, () => response.destroy());
};
const answers =
  (status: number, body = '<html>'): Part =>
  (response) =>
    response.writeHead(status, { 'content-type': 'text/html' }).end(body);

const error = (code: string, more: object = {}) => ({
  message: 'no',
  extensions: { code, ...more },
});
const refusal = (code: string, more?: object) => ({ errors: [error(code, more)] });
const busy = next({ data: { n: null }, ...refusal('RATE_LIMITED', { retryable: true }) });
const partly = { data: { n: 1 }, errors: [{ ...error('FORBIDDEN'), path: ['part'] }] };
const stale = (n: number, requestId: string, staleSeconds: number) => {
  const upstream = { name: 'management', operation: 'getPipe', status: 503, requestId };
  const { errors } = refusal('UPSTREAM_UNAVAILABLE', { upstream, requestId, retryable: true });
  return next({ data: { n }, errors, extensions: { staleSeconds } });
};
const waiting = (seconds: number) => {
  const extensions = { code: 'RATE_LIMITED', retryAfterSeconds: seconds };
  return next({ data: { n: 1 }, errors: [{ message: `Retry in ${seconds} s.`, extensions }] });
};
const denied = next(refusal('UNAUTHENTICATED'));
const ended = (event: object) => next({ ...event, extensions: { ended: 'nothing to watch' } });

/** Subscribes to a server that does these; all waits are as short as can be. */
const subscribe = async (parts: readonly Part[], signal?: AbortSignal) => {
  vi.spyOn(Math, 'random').mockReturnValue(0);
  let connections = 0;
  let open = 0;
  const url = await serveGraphql((request, response) => {
    request.resume();
    connections += 1;
    open += 1;
    response.once('close', () => {
      open -= 1;
    });
    const part = parts[connections - 1];
    if (!part) throw new Error('one connection too many');
    part(response);
  });
  const tried: unknown[] = [];
  const waits: number[] = [];
  const onRetry = (why: SluiceError | undefined, milliseconds: number) => {
    tried.push(why?.code);
    waits.push(milliseconds);
  };
  const client = createClient({ url, management: () => 'Basic key' });
  const events = client.subscribe(document, {}, { onRetry, signal });
  onTestFinished(async () => void (await events.return()));
  const number = async () => (await events.next()).value?.data?.n;
  return { events, number, tried, waits, connections: () => connections, open: () => open };
};

const over = { done: true, value: undefined };

/** What a server does, a connection each; the numbers that the reader gets, and the end; why the client connects again. */
type Row = readonly [string, readonly Part[], readonly unknown[], readonly unknown[]];

it.each<Row>([
  ['goes on after the end of a stream', [ends(one, complete), stays(two)], [1, 2], [undefined]],
  ['closes a connection at its end', [stays(one, complete), stays(two)], [1, 2], [undefined]],
  ['goes on after a stop without an end', [ends(one), stays(two)], [1, 2], ['NETWORK_ERROR']],
  ['goes on after a broken connection', [breaks, stays(two)], [1, 2], ['NETWORK_ERROR']],
  ["goes on after a proxy's error", [answers(500), stays(two)], [2], ['BAD_ANSWER']],
  ["goes on after a proxy's timeout", [answers(408), stays(two)], [2], ['BAD_ANSWER']],
  ['goes on after what passes', [ends(busy, complete), stays(two)], [null, 2], ['RATE_LIMITED']],
  ['goes on after a part', [ends(next(partly), complete), stays(two)], [1, 2], [undefined]],
  ['reads a media type in any case', [inCapitals], [1], []],
  ['tells nothing twice', [ends(one, complete), stays(one, two)], [1, 2], [undefined]],
  [
    'tells nothing of other request ids and ages',
    [ends(stale(1, 'one', 10), complete), stays(stale(1, 'two', 20), stale(2, 'three', 30))],
    [1, 2],
    [undefined],
  ],
  ['tells nothing of other waits', [stays(waiting(9), waiting(8), two)], [1, 2], []],
  ['ends where the end has an error', [stays(ended(partly), complete)], [1, 'FORBIDDEN'], []],
  ['ends at a wrong credential', [stays(denied, complete)], [undefined, 'UNAUTHENTICATED'], []],
  ['ends after a page', [answers(499)], ['BAD_ANSWER'], []],
  ['ends after an event of something else', [stays(next([]))], ['BAD_ANSWER'], []],
  ['ends after JSON', [answers(406, JSON.stringify(refusal('NO')))], ['NO'], []],
])('a subscription %s', async (_, parts, gets, whys) => {
  const { events, tried, connections, open } = await subscribe(parts);
  const got: unknown[] = [];
  while (got.length < gets.length) {
    const next = events.next().then(
      ({ done, value }) => (done ? 'over' : value.data?.n),
      (reason) => reason instanceof SluiceError && reason.code,
    );
    got.push(await next);
  }
  const isOver = typeof got.at(-1) === 'string';
  if (isOver) expect(await events.next()).toEqual(over);
  expect([got, tried, connections()]).toEqual([gets, whys, parts.length]);
  await vi.waitFor(() => expect(open()).toBe(isOver ? 0 : 1));
});

it('a subscription says that a fetch has no streams', async () => {
  const headers = { 'content-type': 'text/event-stream' };
  const fetch = async () =>
    Object.defineProperty(new Response(one, { headers }), 'body', { value: undefined });
  const first = createClient({ url: 'http://127.0.0.1:1/', fetch }).subscribe(document, {}).next();
  await expect(first).rejects.toMatchObject({
    ...{ name: 'SluiceError', code: 'BAD_ANSWER' },
    message: 'Subscriptions need a fetch with streams (response.body).',
  });
});

it('a subscription comes back after the time that a gateway tells when it stops', async () => {
  const told = `retry: 25\n:\n\nretry: 20\n${complete}`;
  const { events, number, waits } = await subscribe([ends(one, told), ends(complete), stays(two)]);
  expect([await number(), await number()]).toEqual([1, 2]);
  expect(waits).toEqual([20, 0]);
  await events.return();
});

it('a slow reader gets the newest event, never a queue', async () => {
  let write: ((text: string) => void) | undefined;
  const first: Part = (response) => {
    stays(one)(response);
    write = (text) => response.write(text);
  };
  const { number } = await subscribe([first]);
  expect(await number()).toBe(1);
  const seen = vi.spyOn(JSON, 'parse');
  write?.([2, 3, 4].map((n) => next({ data: { n } })).join(''));
  await vi.waitFor(() => expect(seen).toHaveBeenCalledTimes(3));
  seen.mockRestore();
  expect(await number()).toBe(4);
});

it('return() ends it, before it has begun and while an event is awaited', async () => {
  const early = await subscribe([]);
  expect(await early.events.return()).toEqual(over);
  expect(await early.events.next()).toEqual(over);
  expect(early.connections()).toBe(0);

  const { events, open } = await subscribe([stays(one)]);
  await events.next();
  const waiting = events.next();
  await events.return();
  expect(await waiting).toEqual(over);
  await vi.waitFor(() => expect(open()).toBe(0));
});

it("a signal ends it with the signal's own reason, and keeps no listener", async () => {
  const controller = new AbortController();
  const { signal } = controller;
  const { events, open } = await subscribe([stays(one)], signal);
  await events.next();
  const waiting = events.next();
  controller.abort(new Error('The user has left'));
  await expect(waiting).rejects.toBe(signal.reason);
  expect(await events.next()).toEqual(over);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
  await vi.waitFor(() => expect(open()).toBe(0));
  const late = await subscribe([], signal);
  await expect(late.events.next()).rejects.toBe(signal.reason);
});

/** A client whose fetch never touches the network, on a clock of its own. */
const start = (send: typeof fetch) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
  onTestFinished(() => void vi.useRealTimers());
  const waits: number[] = [];
  const client = createClient({ url: 'http://127.0.0.1/', fetch: send });
  const events = client.subscribe(document, {}, { onRetry: (_, ms) => waits.push(ms) });
  void events.next();
  return { events, waits };
};

it('the waits double from a second to half a minute, at random below that', async () => {
  const added = vi.spyOn(AbortSignal.prototype, 'addEventListener');
  const removed = vi.spyOn(AbortSignal.prototype, 'removeEventListener');
  const { events, waits } = start(() => Promise.reject(new TypeError('no')));
  await vi.advanceTimersByTimeAsync(60_000);
  // The wait of the moment has one.
  expect(added.mock.calls.length - removed.mock.calls.length).toBe(1);
  expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 15_000, 15_000, 15_000]);
  await events.return();
  expect(vi.getTimerCount()).toBe(0);
});

it('the waits are no shorter than the gateway asks for', async () => {
  const asks = refusal('RATE_LIMITED', { retryable: true, retryAfterSeconds: 7 });
  const { events, waits } = start(async () => Response.json(asks));
  await vi.advanceTimersByTimeAsync(7500);
  expect(waits).toEqual([7000, 7000]);
  await events.return();
});

it('the waits begin anew after a connection that lasted, which ends where nothing was heard for a minute', async () => {
  const signals: (AbortSignal | null | undefined)[] = [];
  let failures = 0;
  const { events, waits } = start(async (_, init) => {
    failures += 1;
    if (failures < 4) throw new TypeError('no');
    signals.push(init?.signal);
    const body = new ReadableStream({
      start: (controller) => {
        controller.enqueue(new TextEncoder().encode(':\n\n'));
        init?.signal?.addEventListener('abort', () => controller.error(init.signal?.reason));
      },
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  });
  await vi.advanceTimersByTimeAsync(3500);
  expect(waits).toEqual([500, 1000, 2000]);
  await vi.advanceTimersByTimeAsync(59_000);
  expect(signals.map((signal) => signal?.aborted)).toEqual([false]);
  await vi.advanceTimersByTimeAsync(2000);
  expect(signals.map((signal) => signal?.aborted)).toEqual([true, false]);
  expect(waits.slice(3)).toEqual([500]);
  await events.return();
  expect(vi.getTimerCount()).toBe(0);
});

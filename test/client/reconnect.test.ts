import '../support/client/built.ts';
import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  type ClientOptions,
  createClient,
  type SluiceError,
  TypedDocumentString,
} from '../../client/src/index.ts';
import { serveGraphql } from '../support/client/kit.ts';

const document = new TypedDocumentString<{ readonly n: number }, Record<string, never>>(
  'subscription { n }',
);

/** One connection each, in their order: the last stays. */
type Part = (response: ServerResponse) => void;

const next = (n: number) => `event: next\ndata: {"data":{"n":${n}}}\n\n`;
const complete = 'event: complete\ndata:\n\n';

const stream =
  (...texts: readonly string[]): Part =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`:\n\n${texts.join('')}`);
  };
const ending =
  (...texts: readonly string[]): Part =>
  (response) => {
    stream(...texts)(response);
    response.end();
  };
const breaking =
  (...texts: readonly string[]): Part =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(texts.join(''), () => response.destroy());
  };
const page =
  (status: number): Part =>
  (response) => {
    response.writeHead(status, { 'content-type': 'text/html' }).end('<html>');
  };

/** Subscribes to a server that answers with these; all waits are as short as can be. */
const subscribe = async (parts: readonly Part[], options: Partial<ClientOptions> = {}) => {
  vi.spyOn(Math, 'random').mockReturnValue(0);
  let connections = 0;
  const url = await serveGraphql((request, response) => {
    request.resume();
    connections += 1;
    const part = parts[connections - 1];
    if (!part) throw new Error('one connection too many');
    part(response);
  });
  const whys: (string | undefined)[] = [];
  const onRetry = (why: SluiceError | undefined) => whys.push(why?.code);
  const events = createClient({ url, ...options }).subscribe(document, {}, { onRetry });
  onTestFinished(async () => void (await events.return()));
  return { events, whys, connections: () => connections };
};

const numberOf = async (events: AsyncIterator<{ readonly data: { readonly n: number } | null }>) =>
  (await events.next()).value?.data?.n;

afterEach(() => vi.restoreAllMocks());

describe('a subscription goes on', () => {
  it.each([
    ['where the gateway ends the stream', ending(next(1), complete), undefined],
    ['where the stream stops without an end', ending(next(1)), 'NETWORK_ERROR'],
    ['where the connection breaks', breaking(next(1)), 'NETWORK_ERROR'],
  ])('%s', async (_, first, why) => {
    const { events, whys } = await subscribe([first, stream(next(2))]);
    expect(await numberOf(events)).toBe(1);
    expect(await numberOf(events)).toBe(2);
    expect(whys).toEqual([why]);
  });

  it.each([
    ['no answer', (response: ServerResponse) => response.destroy(), 'NETWORK_ERROR'],
    ["a proxy's page", page(502), 'BAD_ANSWER'],
    ["a proxy's refusal", page(429), 'BAD_ANSWER'],
    [
      'what passes',
      ending(
        'event: next\ndata: {"data":{"n":null},"errors":[{"message":"busy","extensions":{"code":"RATE_LIMITED","retryable":true}}]}\n\n',
        complete,
      ),
      'RATE_LIMITED',
    ],
  ])('after %s', async (_, first, why) => {
    const { events, whys } = await subscribe([first, stream(next(2))]);
    const numbers = [await numberOf(events)];
    if (numbers[0] !== 2) numbers.push(await numberOf(events));
    expect(numbers.at(-1)).toBe(2);
    expect(whys).toEqual([why]);
  });

  it('where a part was refused, and the gateway says nothing of an end', async () => {
    const error = { message: 'no', path: ['part'], extensions: { code: 'FORBIDDEN' } };
    const event = `event: next\ndata: ${JSON.stringify({ data: { n: 1 }, errors: [error] })}\n\n`;
    const { events, whys } = await subscribe([ending(event, complete), stream(next(2))]);
    expect([await numberOf(events), await numberOf(events)]).toEqual([1, 2]);
    expect(whys).toEqual([undefined]);
  });

  it('without telling again what it has told', async () => {
    const { events, connections } = await subscribe([
      ending(next(1), complete),
      ending(next(1), complete),
      stream(next(1), next(2)),
    ]);
    expect(await numberOf(events)).toBe(1);
    expect(await numberOf(events)).toBe(2);
    expect(connections()).toBe(3);
  });
});

it('a subscription ends without an error where the gateway says that nothing can change', async () => {
  const last = { data: { n: 1 }, extensions: { ended: 'nothing to watch' } };
  const { events, connections } = await subscribe([
    ending(`event: next\ndata: ${JSON.stringify(last)}\n\n`, complete),
  ]);
  expect(await numberOf(events)).toBe(1);
  expect(await events.next()).toEqual({ done: true, value: undefined });
  expect(connections()).toBe(1);
});

it('a connection is closed once the gateway has told its end', async () => {
  let closed = 0;
  const first: Part = (response) => {
    response.once('close', () => {
      closed += 1;
    });
    stream(next(1), complete)(response);
  };
  const { events } = await subscribe([first, stream(next(2))]);
  expect([await numberOf(events), await numberOf(events)]).toEqual([1, 2]);
  await vi.waitFor(() => expect(closed).toBe(1));
});

it('an event that differs from the last one by request ids and ages alone is not told again', async () => {
  const failing = (n: number, requestId: string, staleSeconds: number) => {
    const upstream = { name: 'management', operation: 'getPipe', status: 503, requestId };
    const extensions = { code: 'UPSTREAM_UNAVAILABLE', upstream, requestId, retryable: true };
    const errors = [{ message: 'down', path: ['part'], extensions }];
    const event = { data: { n }, errors, extensions: { staleSeconds } };
    return `event: next\ndata: ${JSON.stringify(event)}\n\n`;
  };
  const { events, connections } = await subscribe([
    ending(failing(1, 'one', 10), complete),
    stream(failing(1, 'two', 20), failing(2, 'three', 30)),
  ]);
  expect(await numberOf(events)).toBe(1);
  expect(await numberOf(events)).toBe(2);
  expect(connections()).toBe(2);
});

it('an event that differs from the last one by its progress alone is told', async () => {
  const filling = (ready: number) => {
    const progress = { ready, wanted: 3, completeInSeconds: 3 - ready };
    const event = { data: { n: 1 }, extensions: { progress } };
    return `event: next\ndata: ${JSON.stringify(event)}\n\n`;
  };
  const { events } = await subscribe([stream(filling(1), filling(2))]);
  const ready = async () => (await events.next()).value?.extensions?.progress?.ready;
  expect([await ready(), await ready()]).toEqual([1, 2]);
});

describe('a subscription fails for good', () => {
  const refused = (code: string) =>
    `event: next\ndata: {"errors":[{"message":"no","extensions":{"code":"${code}"}}]}\n\n`;

  it.each([
    ['a page', page(200), 'BAD_ANSWER'],
    ['a page that is not found', page(404), 'BAD_ANSWER'],
    ['a refusal', ending(refused('LIMIT_EXCEEDED'), complete), 'LIMIT_EXCEEDED'],
    ['an event of something else', stream('event: next\ndata: []\n\n'), 'BAD_ANSWER'],
    [
      'a JSON answer',
      (response: ServerResponse) => {
        response.writeHead(406, { 'content-type': 'application/json' });
        response.end('{"errors":[{"message":"no","extensions":{"code":"BAD_REQUEST"}}]}');
      },
      'BAD_REQUEST',
    ],
  ])('after %s', async (_, part, code) => {
    const { events, connections } = await subscribe([part]);
    const all = async () => {
      for await (const { data } of events) expect(data).toBeNull();
    };
    await expect(all()).rejects.toMatchObject({ name: 'SluiceError', code });
    expect(connections()).toBe(1);
  });

  it('where the gateway says of the last event that it is, with the error of a part', async () => {
    const error = { message: 'no', path: ['part'], extensions: { code: 'FORBIDDEN' } };
    const last = { data: { n: 1 }, errors: [error], extensions: { ended: 'credential refused' } };
    const { events, connections } = await subscribe([
      ending(`event: next\ndata: ${JSON.stringify(last)}\n\n`, complete),
    ]);
    expect(await numberOf(events)).toBe(1);
    await expect(events.next()).rejects.toMatchObject({ name: 'SluiceError', code: 'FORBIDDEN' });
    expect(connections()).toBe(1);
  });

  it('where a credential cannot be had', async () => {
    const reason = new Error('The login is over');
    const management = () => {
      throw reason;
    };
    const { events, connections } = await subscribe([], { management });
    await expect(events.next()).rejects.toBe(reason);
    expect(connections()).toBe(0);
  });
});

it('a slow reader gets the newest event, never a queue', async () => {
  let write: ((text: string) => void) | undefined;
  const { events } = await subscribe([
    (response) => {
      stream(next(1))(response);
      write = (text) => response.write(text);
    },
  ]);
  expect(await numberOf(events)).toBe(1);
  const seen = vi.spyOn(JSON, 'parse');
  write?.(next(2) + next(3) + next(4));
  await vi.waitFor(() => expect(seen).toHaveBeenCalledTimes(3));
  seen.mockRestore();
  expect(await numberOf(events)).toBe(4);
});

describe('the waits', () => {
  /** A client whose fetch never touches the network, on a clock of its own. */
  const start = (send: typeof fetch) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const waits: number[] = [];
    const client = createClient({ url: 'http://127.0.0.1/', fetch: send });
    const events = client.subscribe(document, {}, { onRetry: (_, ms) => waits.push(ms) });
    const first = events.next();
    return { events, first, waits };
  };

  it('double from a second to half a minute, at random below that', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
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

  it('are no shorter than the gateway asks for', async () => {
    const body =
      '{"errors":[{"message":"busy","extensions":{"code":"RATE_LIMITED","retryable":true,"retryAfterSeconds":7}}]}';
    const { events, waits } = start(async () => new Response(body));
    await vi.advanceTimersByTimeAsync(7500);
    expect(waits).toEqual([7000, 7000]);
    await events.return();
  });

  it('begin anew after a connection that lasted, which ends where nothing was heard for a minute', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
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
});

import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request as send } from 'node:http';
import { credentials } from './harness.ts';

/** An event of a stream, as tests read it. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into events of every shape
export type Event = any;

interface SubscribeOptions {
  readonly variables?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: 'GET' | 'POST';
  readonly signal?: AbortSignal;
}

/** Sends an operation on a new connection, with both credentials. */
export const open = (url: string, query: string, options: SubscribeOptions): ClientRequest => {
  const { variables, headers, method = 'POST', signal } = options;
  const target = new URL(url);
  if (method === 'GET') {
    target.searchParams.set('query', query);
    if (variables) target.searchParams.set('variables', JSON.stringify(variables));
  }
  const sent: Record<string, string> = {
    ...credentials,
    ...(method === 'POST' && { 'content-type': 'application/json' }),
    ...headers,
  };
  const request = send(target, { agent: false, method, headers: sent, signal });
  request.end(method === 'POST' ? JSON.stringify({ query, variables }) : undefined);
  return request;
};

/** Subscribes with plain HTTP. */
export const subscribe = async (url: string, query: string, options: SubscribeOptions = {}) => {
  const headers = { accept: 'text/event-stream', ...options.headers };
  const request = open(url, query, { ...options, headers });
  const [response]: IncomingMessage[] = await once(request, 'response');
  if (!response) throw new Error('no response');
  /** All events so far. */
  const events: Event[] = [];
  let listeners: (() => void)[] = [];
  let text = '';
  let isComplete = false;
  let retryMs: number | undefined;
  const tell = (): void => {
    for (const listener of listeners.splice(0)) listener();
  };
  response.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    const parts = text.split('\n\n');
    text = parts.pop() ?? '';
    for (const part of parts) {
      const [, milliseconds, end] = /^(?:retry: (\d+)\n)?(event: complete)?/.exec(part) ?? [];
      if (milliseconds) retryMs = Number(milliseconds);
      if (end) isComplete = true;
      if (part.startsWith('event: next')) events.push(JSON.parse(part.split('\ndata: ')[1] ?? ''));
    }
    tell();
  });
  request.on('error', () => undefined);
  response.on('error', () => undefined);
  const ended = new Promise<void>((resolve) => {
    response.once('close', () => {
      tell();
      resolve();
    });
  });
  return {
    response,
    events: events as readonly Event[],
    /** Waits for the event of this number, counted from 1. */
    event: async (number: number): Promise<Event> => {
      while (events.length < number) {
        if (response.closed) throw new Error(`the stream ended after ${events.length} events`);
        await new Promise<void>((resolve) => listeners.push(resolve));
      }
      return events[number - 1];
    },
    /** Whether the stream ended with `complete`. */
    get isComplete() {
      return isComplete;
    },
    /** After how many milliseconds the gateway wants the client back. */
    get retryMs() {
      return retryMs;
    },
    /** Resolves when the response has ended, or its connection has closed. */
    ended,
    leave: () => {
      listeners = [];
      request.destroy();
    },
  };
};

export type Subscription = Awaited<ReturnType<typeof subscribe>>;

import { type Body, errorOf, readBody } from './answer.ts';
import { SluiceError } from './error.ts';
import { eventsOf } from './event-stream.ts';
import { failure, idOf, networkError, noAnswer, type Send } from './sender.ts';

/** An event of the stream. */
export interface Told extends Body {
  readonly requestId: string | undefined;
  readonly status: number;
}

/** The gateway sends data or a comment at least every 12 seconds. After this silence, the connection counts as lost. */
const longestSilenceMs = 60_000;

/** Makes a signal that aborts with `outer`, or after `longestSilenceMs` without data. */
const createWatch = (outer: AbortSignal) => {
  const controller = new AbortController();
  const stop = (): void => {
    clearTimeout(timer);
    controller.abort();
  };
  const lose = (): void =>
    controller.abort(failure('NETWORK_ERROR', 'The gateway sent nothing for a minute.'));
  let timer = setTimeout(lose, longestSilenceMs);
  outer.addEventListener('abort', stop);
  return {
    signal: controller.signal,
    heard: (): void => {
      clearTimeout(timer);
      timer = setTimeout(lose, longestSilenceMs);
    },
    /** Aborts the signal, which closes the connection. */
    end: (): void => {
      outer.removeEventListener('abort', stop);
      stop();
    },
  };
};

/** How the gateway ended a stream. */
export interface Ending {
  /** The error that ended it. */
  readonly why: SluiceError | undefined;
  /** Whether the gateway has said that no more events will come. */
  readonly isFinal: boolean;
  /** The time after which the gateway asks the client to reconnect. */
  readonly retryMs?: number | undefined;
}

/** Whether an error has made the event's root field, or all its data, null. */
const isFailed = ({ data, errors }: Body): boolean =>
  errors.length > 0 && Object.values(data ?? {}).every((value) => value === null);

const endingAfter = (newest: Told | undefined): Ending => {
  const isFinal = newest?.extensions?.ended !== undefined;
  return { why: newest && (isFinal || isFailed(newest)) ? errorOf(newest) : undefined, isFinal };
};

/** The error on platforms without streams, such as React Native, where a response can be read only when it is complete. */
export const noStreams = (): SluiceError =>
  failure('BAD_ANSWER', 'Subscriptions need a fetch with streams (response.body).');

/**
 * Subscribes once, and yields events; closes the connection when `outer` aborts. Ends when the gateway ends the stream.
 *
 * @throws SluiceError if no event stream came, it cannot be read as such, or it broke off.
 * @throws unknown the error of a function that gives a credential or headers.
 */
export const connect = async (
  send: Send,
  body: string,
  outer: AbortSignal,
  give: (event: Told) => void,
): Promise<Ending> => {
  const { signal, heard, end } = createWatch(outer);
  try {
    const response = await send({ body, accept: 'text/event-stream', signal });
    const from = { requestId: idOf(response), status: response.status };
    try {
      if (!/^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '')) {
        const read = readBody(await response.text(), response.status);
        throw (read && errorOf({ ...read, ...from })) ?? noAnswer('event stream', response);
      }
      if (!response.body) throw noStreams();
      let newest: Told | undefined;
      for await (const { name, data: text, retryMs } of eventsOf(response.body, heard)) {
        if (name === 'complete') return { ...endingAfter(newest), retryMs };
        if (name !== 'next') continue;
        const read = readBody(text);
        if (!read) throw noAnswer('event of GraphQL', response);
        newest = { ...read, ...from };
        give(newest);
      }
      throw networkError(undefined, response);
    } catch (cause) {
      signal.throwIfAborted();
      throw cause instanceof SluiceError ? cause : networkError(cause, response);
    }
  } finally {
    end();
  }
};

import { createServer } from 'node:net';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { Config } from '../../../src/config.ts';
import { json, type Stack, startStack } from '../harness.ts';
import { startServer } from '../servers.ts';

/** A request with its bytes on the wire, one byte per character. */
export interface RawCall {
  readonly line: string;
  /** Names and values as sent, in their order. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

/** Returns the JSON value of the answer to a call. */
export type RawAnswering = (call: RawCall) => unknown;

export interface Recorder {
  readonly url: URL;
  readonly calls: RawCall[];
  /** Sets the answers from now on, and clears the recorded calls. */
  answer(answering: RawAnswering): void;
  close(): Promise<void>;
}

const end = '\r\n\r\n';

/** The first complete request of the received text, and the rest; undefined if none is complete. */
const takeCall = (text: string): { call: RawCall; rest: string } | undefined => {
  const at = text.indexOf(end);
  if (at < 0) return undefined;
  const [line = '', ...lines] = text.slice(0, at).split('\r\n');
  const headers = lines.map((header): readonly [string, string] => {
    const colon = header.indexOf(':');
    return [header.slice(0, colon), header.slice(colon + 1).trimStart()];
  });
  const length = headers.find(([name]) => name.toLowerCase() === 'content-length')?.[1];
  const bodyEnd = at + end.length + Number(length ?? 0);
  if (text.length < bodyEnd) return undefined;
  return {
    call: { line, headers, body: text.slice(at + end.length, bodyEnd) },
    rest: text.slice(bodyEnd),
  };
};

/**
 * An upstream without an HTTP parser: a strict parser would refuse a request line that hostile input has broken, and a
 * lenient parser would repair it.
 */
export const startRecorder = async (): Promise<Recorder> => {
  const calls: RawCall[] = [];
  let answering: RawAnswering = () => ({});

  const server = createServer((socket) => {
    let text = '';
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      for (let taken = takeCall(text); taken; taken = takeCall(text)) {
        text = taken.rest;
        calls.push(taken.call);
        const body = JSON.stringify(answering(taken.call));
        socket.write(
          `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}${end}${body}`,
        );
      }
    });
  });
  const { origin, close } = await startServer(server);
  return {
    // With a base path, since an identifier could also escape from that.
    url: new URL(`${origin}/base`),
    calls,
    answer: (next) => {
      answering = next;
      calls.length = 0;
    },
    close,
  };
};

export interface HostileStack {
  readonly stack: Stack;
  readonly management: Recorder;
  readonly observability: Recorder;
}

/** Payload by request line, in the envelope of its upstream. */
export type Payload = (line: string) => unknown;

export const managementAnswer =
  (payload: Payload): RawAnswering =>
  ({ line }) => ({ status: 200, requestId: 'r-1', result: payload(line) });

export const observabilityAnswer =
  (payload: Payload): RawAnswering =>
  ({ line }) => ({ data: payload(line) });

/** Empty lists, so that single objects are read as well, and empty objects. */
export const nothingThere: Payload = (line) =>
  /^GET \S*\/(organizations|services|pipes|invitations|dashboards|alerts) /.test(line) ? [] : {};

/** The gateway of a test file, in front of two upstreams that record every byte. */
export const useHostileStack = (config: Partial<Config> = {}): (() => HostileStack) => {
  let started: HostileStack | undefined;
  const running = (): HostileStack => {
    if (!started) throw new Error('not started');
    return started;
  };
  beforeAll(async () => {
    const management = await startRecorder();
    const observability = await startRecorder();
    const unused = () => json({}, 500);
    const stack = await startStack({
      management: unused,
      observability: unused,
      config: { managementUrl: management.url, observabilityUrl: observability.url, ...config },
    });
    started = { stack, management, observability };
  });
  beforeEach(() => {
    running().management.answer(managementAnswer(nothingThere));
    running().observability.answer(observabilityAnswer(nothingThere));
  });
  afterAll(async () => {
    const { stack, management, observability } = running();
    await stack.close();
    await management.close();
    await observability.close();
  });
  return running;
};

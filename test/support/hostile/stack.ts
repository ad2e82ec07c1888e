import { createServer } from 'node:net';
import { afterAll, beforeAll } from 'vitest';
import type { Config } from '../../../src/config.ts';
import { json, type Stack, startStack } from '../harness.ts';
import { startServer } from '../servers.ts';

/** A request with its bytes on the wire, one byte per character. */
interface RawCall {
  readonly line: string;
  /** Names and values as sent, in their order. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
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
const startRecorder = async (payload: (line: string) => unknown) => {
  const calls: RawCall[] = [];
  const server = createServer((socket) => {
    let text = '';
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      for (let taken = takeCall(text); taken; taken = takeCall(text)) {
        text = taken.rest;
        calls.push(taken.call);
        const value = payload(taken.call.line);
        const { headers, body } = json({ status: 200, result: value, data: value });
        const type = `content-type: ${headers?.['content-type']}`;
        socket.write(
          `HTTP/1.1 200 OK\r\n${type}\r\ncontent-length: ${Buffer.byteLength(String(body))}${end}${body}`,
        );
      }
    });
  });
  const { origin, close } = await startServer(server);
  // With a path of its own: an identifier could climb out of that one, too.
  return { url: new URL(`${origin}/base`), calls, close };
};

/** The gateway of a test file before two upstreams that keep every byte, and answer as told by request line. */
export const useHostileStack = (config: Partial<Config> = {}) => {
  let payload: (line: string) => unknown = () => undefined;
  const start = async () => {
    const management = await startRecorder((line) => payload(line));
    const observability = await startRecorder((line) => payload(line));
    const unused = () => json({}, 500);
    const urls = { managementUrl: management.url, observabilityUrl: observability.url };
    const stack: Stack = await startStack({
      ...{ management: unused, observability: unused, config: { ...urls, ...config } },
    });
    return { stack, management, observability };
  };
  let started: Awaited<ReturnType<typeof start>> | undefined;
  beforeAll(async () => {
    started = await start();
  });
  afterAll(async () => {
    for (const each of Object.values(started ?? {})) await each.close();
  });
  const running = () => {
    if (!started) throw new Error('not started');
    return started;
  };
  /** The stack, once the calls so far are forgotten; from now on they are answered with this, by their request lines. */
  running.answering = (next: (line: string) => unknown) => {
    payload = next;
    const { stack, management, observability } = running();
    management.calls.length = 0;
    observability.calls.length = 0;
    return stack;
  };
  /** `METHOD /path` of each call, without the base path, which has to be there. */
  running.lines = (): readonly string[] =>
    [...running().management.calls, ...running().observability.calls].map(({ line }) => {
      const [, method, path] = /^([A-Z]+) \/base(\/[!-~]*) HTTP\/1\.1$/.exec(line) ?? [];
      return path === undefined ? `broken: ${line}` : `${method} ${path}`;
    });
  return running;
};

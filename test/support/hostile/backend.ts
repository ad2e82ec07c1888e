import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';

/** A request as its bytes stood on the wire, one character a byte. */
export interface RawCall {
  readonly line: string;
  /** Names and values as sent, in their order. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

/** Gives the JSON value that a call is answered with. */
export type RawAnswering = (call: RawCall) => unknown;

export interface Recorder {
  readonly url: URL;
  readonly calls: RawCall[];
  /** Answers from now on; the calls so far are forgotten. */
  answer(answering: RawAnswering): void;
  close(): Promise<void>;
}

const end = '\r\n\r\n';

/** The first request of what has arrived, and the rest; nothing while it is not whole. */
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
 * An upstream without an HTTP parser: one that is strict would refuse a request line that hostile input
 * has broken, and a lenient one would mend it.
 */
export const startRecorder = async (): Promise<Recorder> => {
  const sockets = new Set<Socket>();
  const calls: RawCall[] = [];
  let answering: RawAnswering = () => ({});

  const server = createServer((socket) => {
    let text = '';
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
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
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    // With a path of its own: an identifier could climb out of that one, too.
    url: new URL(`http://127.0.0.1:${address.port}/base`),
    calls,
    answer: (next) => {
      answering = next;
      calls.length = 0;
    },
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
};

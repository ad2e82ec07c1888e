import { once } from 'node:events';
import type { ServerOptions } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { AnswerPlain } from '../src/answer-plain.ts';
import { PlainServer, type PlainServerOptions } from '../src/plain-server.ts';
import type { Incoming } from '../src/request.ts';

/** A POST of this text that the server reads itself; with these lines in its head too. */
export const post = (body: string, ...lines: readonly string[]): string =>
  [
    'POST /graphql HTTP/1.1',
    'host: sluice',
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    ...lines,
    '',
    body,
  ].join('\r\n');

export interface Connection {
  readonly socket: Socket;
  /** All that has come back. */
  text(): string;
  /** Who has answered so far, in turn, and what was asked: `plain one`. */
  answers(): readonly string[];
  /** Waits for so many answers. */
  answered(count: number): Promise<readonly string[]>;
  readonly closed: Promise<unknown>;
}

/**
 * A server whose plain requests are answered with their bodies once `release` has been called for each; that gives up on
 * `other`, and fails with `fails`. What is handed over is answered with its body, or else with its method.
 */
export const startPlainServer = async (
  options: Partial<PlainServerOptions> = {},
  httpOptions: ServerOptions = {},
) => {
  const failures: unknown[] = [];
  /** The requests that were begun, by their bodies. */
  const begun: string[] = [];
  const ended: string[] = [];
  /** The callers' ports of what was given up on. */
  const refused: (number | undefined)[] = [];
  const held = new Map<string, () => void>();

  const answerPlain: AnswerPlain = async (bytes, _, onBegin) => {
    const body = bytes.toString();
    if (body === 'other') return undefined;
    begun.push(body);
    onBegin({ end: () => ended.push(body) } as unknown as Incoming);
    if (body === 'fails') throw new RangeError('a failure');
    if (body.startsWith('held')) await new Promise<void>((resolve) => held.set(body, resolve));
    if (body === 'held other') return undefined;
    const more = body.includes('long') ? 8_000_000 : body.includes('some') ? 50_000 : 0;
    const json = `<plain ${body}>${'x'.repeat(more)}`;
    return { status: 200, requestId: 'r-1', json, bytes: json.length };
  };

  const server = new PlainServer(
    {
      path: '/graphql',
      maxHeaderBytes: 1000,
      maxBodyBytes: 1000,
      answerPlain,
      originHeaders: () => ({}),
      onRefused: (socket) => refused.push(socket.remotePort),
      onFailure: (error) => failures.push(error),
      ...options,
    },
    httpOptions,
    async (request, response) => {
      const chunks = await request.toArray();
      const body = Buffer.concat(chunks).toString();
      if (body === 'never') return;
      if (body === 'slow') await new Promise((resolve) => setTimeout(resolve, 400));
      response.end(`<node ${body || request.method}>`);
    },
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });

  const open = async (): Promise<Connection> => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
    onTestFinished(() => {
      socket.destroy();
    });
    let text = '';
    const answers = () =>
      [...text.matchAll(/<((?:plain|node) .*?)>/g)].map(([, what = '']) => what);
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
    });
    socket.on('end', () => socket.end());
    socket.on('error', () => undefined);
    const closed = once(socket, 'close');
    await once(socket, 'connect');
    const answered = async (count: number) => {
      while (answers().length < count) {
        await Promise.race([
          once(socket, 'data'),
          closed.then(() => {
            throw new Error(`closed after ${answers().length} answers`);
          }),
        ]);
      }
      return answers();
    };
    return { socket, closed, text: () => text, answers, answered };
  };

  /** Resolves once the server has read what was sent before. */
  const read = async (): Promise<void> => {
    await (await fetch(`http://127.0.0.1:${port}/`)).text();
  };

  const release = (body: string): void => held.get(body)?.();
  return { server, open, read, release, begun, ended, failures, refused };
};

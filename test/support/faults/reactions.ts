import type { ServerResponse } from 'node:http';
import type { Answer } from '../harness.ts';

/** Breaks HTTP in place of an answer. */
type Misbehave = (response: ServerResponse) => void;

/** Resets the connection before the first byte of the answer. */
export const reset: Misbehave = ({ socket }) => socket?.resetAndDestroy();

/** Closes the connection normally, without an answer. */
export const hangUp: Misbehave = ({ socket }) => socket?.end();

/** Sends these bytes, and then breaks the connection. */
export const raw =
  (bytes: string): Misbehave =>
  ({ socket }) => {
    socket?.write(bytes);
    setImmediate(() => socket?.destroy());
  };

/** Resets the connection after a part of the body. */
export const resetWithinBody: Answer = {
  headers: { 'content-type': 'application/json', 'content-length': '900' },
  ...{ body: '{"status":200,"re', isCutOff: true },
};

/** Never answers. */
export const silence: Misbehave = () => undefined;

/** Sends the head, and then an endless body, one byte at a time. */
export const drip: Misbehave = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const dripping = setInterval(() => response.write(' '), 20);
  response.once('close', () => clearInterval(dripping));
};

/** Sends informational answers one after another, and never a final one. */
export const hint: Misbehave = (response) => {
  const hinting = setInterval(() => response.writeEarlyHints({ link: '</>; rel=preload' }), 20);
  response.once('close', () => clearInterval(hinting));
};

/** A failure with only a status. */
export const status = (code: number, headers: Readonly<Record<string, string>> = {}): Answer => ({
  status: code,
  headers: { 'content-type': 'application/json', ...headers },
  body: '{}',
});

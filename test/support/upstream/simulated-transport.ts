import { type Answer, failed, type Send } from '../../../src/upstream/call.ts';
import type { FailureReason } from '../../../src/upstream/error.ts';
import { givenUp } from '../../../src/upstream/sending/abort.ts';
import type { createTransport as createRealTransport } from '../../../src/upstream/sending/send.ts';
import type { SentCall } from '../../../src/upstream/sending/sent-call.ts';

/** A call that has reached the upstream, for a test to answer. Only the first answer or failure counts. */
export interface Received {
  readonly call: SentCall;
  readonly sentAt: number;
  answer(body: unknown, status?: number, headers?: Answer['headers']): void;
  /** Fails without an answer; if the upstream is unreachable, without a connection. */
  fail(reason: Extract<FailureReason, 'cut-off' | 'timeout' | 'unreachable'>): void;
}

let onReceived: (received: Received) => void = () => undefined;

/** Sets the function that answers the calls of all transports. */
export const receiveWith = (receive: (received: Received) => void): void => {
  onReceived = receive;
};

const sendTo: Send<SentCall> = (call) =>
  new Promise((resolve, reject) => {
    if (call.signal.aborted) {
      reject(givenUp(call));
      return;
    }
    const sentAt = performance.now();
    call.onSent?.(sentAt);
    const abort = (): void => reject(givenUp(call, performance.now() - sentAt));
    const end = (): void => call.signal.removeEventListener('abort', abort);
    call.signal.addEventListener('abort', abort, { once: true });
    onReceived({
      call,
      sentAt,
      answer: (body, status = 200, headers = { 'content-type': 'application/json' }) => {
        end();
        const text = typeof body === 'string' ? body : JSON.stringify(body);
        resolve({ status, headers, body: Buffer.from(text), sentAt });
      },
      fail: (reason) => {
        end();
        const isConnected = reason !== 'unreachable';
        const inFlightMs = isConnected ? performance.now() - sentAt : undefined;
        reject(failed(call, { reason, cause: 'ECONNREFUSED', inFlightMs }));
      },
    });
  });

/** Replaces undici: every call reaches the upstream at once. For use with `vi.mock`. */
export const createTransport: typeof createRealTransport = () => ({
  send: sendTo,
  close: async () => undefined,
});

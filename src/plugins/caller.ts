import type { Receive } from '../request.ts';
import { type Cancellation, CancellationSource } from '../upstream/cancellation.ts';
import type { Callers, GatewayPlugin } from './plugin.ts';

// Made once: an error takes its stack when it is made, which costs more than all else here.
const callerGone = new DOMException('The caller has gone.', 'AbortError');
const timeIsUp = new DOMException("The operation's time is up.", 'TimeoutError');

/** The signal as the upstream layer takes it. */
const cancellationOf = (signal: AbortSignal): Cancellation => {
  const source = new CancellationSource();
  const cancel = (): void => source.cancel(signal.reason === timeIsUp ? 'late' : 'gone');
  signal.addEventListener('abort', cancel, { once: true });
  return source;
};

/**
 * Reads who calls: credentials, request id, trace headers. The caller's signal aborts with a `TimeoutError` once
 * the operation's time is up, and with an `AbortError` once the caller has its response or has gone.
 *
 * One controller and one timer cost less than `AbortSignal.any` and `AbortSignal.timeout`, whose timer would go on
 * after the response.
 */
export const useCaller = (
  callers: Callers,
  receive: Receive,
  operationTimeoutMs: number,
): GatewayPlugin => ({
  onRequest: ({ request, serverContext: { req, res } }) => {
    const lifetime = new AbortController();
    const deadline = setTimeout(() => lifetime.abort(timeIsUp), operationTimeoutMs);
    // Comes once for every response: when all of it is sent, or when the connection has gone before.
    res.once('close', () => {
      clearTimeout(deadline);
      lifetime.abort(callerGone);
    });
    const incoming = receive((name) => request.headers.get(name), cancellationOf(lifetime.signal));
    callers.set(req, incoming);
    res.setHeader('x-request-id', incoming.caller.requestId);
  },
});

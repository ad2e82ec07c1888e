import type { Client } from './client.ts';
import {
  LivePipeDocument,
  type LivePipeSubscription,
  type LivePipeSubscriptionVariables,
  type PipePhase,
} from './generated/operations.ts';
import type { RequestOptions } from './options.ts';
import { failure } from './sender.ts';

/** The identifiers of a pipe, as every pipe of an answer has them. */
export interface PipeIdentifiers
  extends Pick<LivePipeSubscriptionVariables, 'organizationId' | 'serviceId'> {
  readonly id: LivePipeSubscriptionVariables['pipeId'];
}

/** Options for waiting. */
export interface WaitOptions extends RequestOptions {
  /** The longest wait, in milliseconds. Without it, the wait has no end. */
  readonly timeout?: number | undefined;
}

type Pipe = NonNullable<LivePipeSubscription['pipe']>;

/**
 * Waits until a pipe is in one of the phases, and returns it. Watches it by a subscription, so a change made through the
 * gateway shows at once.
 *
 * @throws SluiceError if the pipe cannot be watched, for example `NOT_FOUND`.
 * @throws unknown the signal's reason; after the timeout a DOMException with the name TimeoutError.
 */
export const untilPhase = async (
  client: Client,
  { organizationId, serviceId, id }: PipeIdentifiers,
  phases: readonly PipePhase[],
  { timeout, signal }: WaitOptions = {},
): Promise<Pipe> => {
  const signals = [signal, timeout === undefined ? undefined : AbortSignal.timeout(timeout)];
  const events = client.subscribe(
    LivePipeDocument,
    { organizationId, serviceId, pipeId: id },
    { signal: AbortSignal.any(signals.filter((each) => each !== undefined)) },
  );
  for await (const { data } of events) {
    if (data?.pipe && phases.includes(data.pipe.phase)) return data.pipe;
  }
  throw failure('NETWORK_ERROR', 'The subscription ended before the pipe was in the phase.');
};

import type { Client } from './client.ts';
import {
  LivePipeDocument,
  type LivePipeSubscription,
  type LivePipeSubscriptionVariables,
  type PipeCommand,
  type PipePhase,
} from './generated/operations.ts';
import type { RequestOptions } from './options.ts';
import { failure } from './sender.ts';

/** The identifiers of a pipe; a pipe from an answer has them. */
export interface PipeIdentifiers
  extends Pick<LivePipeSubscriptionVariables, 'organizationId' | 'serviceId'> {
  readonly id: LivePipeSubscriptionVariables['pipeId'];
}

/** The phases that show that a command has ended, with or without success. */
export const phasesAfter: Readonly<Record<PipeCommand, readonly PipePhase[]>> = {
  START: ['RUNNING', 'COMPLETED', 'FAILED'],
  STOP: ['STOPPED', 'COMPLETED', 'FAILED'],
  RESYNC: ['RUNNING', 'COMPLETED', 'FAILED'],
};

/** Options for waiting. */
export interface WaitOptions extends RequestOptions {
  /** The longest wait, in milliseconds. Without it, the wait has no end. */
  readonly timeout?: number | undefined;
}

type Pipe = NonNullable<LivePipeSubscription['pipe']>;

/** The longest delay that timers accept. */
const longestTimeout = 2 ** 31 - 1;

/**
 * Waits until a pipe is in one of the phases, and returns it. Watches the pipe by a subscription, so a change made through the
 * gateway is seen at once. Continues to wait after an event without the pipe, and after a lost connection.
 *
 * @throws SluiceError if the pipe cannot be watched, for example `NOT_FOUND`.
 * @throws unknown the signal's reason; after the timeout a DOMException with the name TimeoutError.
 */
export const untilPhase = async (
  client: Client,
  { organizationId, serviceId, id }: PipeIdentifiers,
  phases: readonly PipePhase[],
  { timeout = Infinity, signal }: WaitOptions = {},
): Promise<Pipe> => {
  let phase: PipePhase | undefined;
  let problem: string | undefined;
  let isLate = false;
  const events = client.subscribe(
    LivePipeDocument,
    { organizationId, serviceId, pipeId: id },
    {
      signal,
      onRetry: (why) => {
        problem = why?.message;
      },
    },
  );
  const end = (): void => {
    isLate = true;
    void events.return();
  };
  const timer = timeout > longestTimeout ? undefined : setTimeout(end, timeout);
  try {
    for await (const { data, errors } of events) {
      const pipe = data?.pipe;
      if (pipe && phases.includes(pipe.phase)) return pipe;
      phase = pipe?.phase ?? phase;
      problem = pipe ? undefined : errors[0]?.message;
    }
  } finally {
    clearTimeout(timer);
  }
  const last = phase ? `its last phase was ${phase}.` : 'its phase is not known.';
  const told = `is not ${phases.join(' or ')}: ${last}${problem ? ` ${problem}` : ''}`;
  if (isLate) throw new DOMException(`After ${timeout} ms, pipe ${id} ${told}`, 'TimeoutError');
  throw failure('NETWORK_ERROR', `The subscription has ended, and pipe ${id} ${told}`);
};

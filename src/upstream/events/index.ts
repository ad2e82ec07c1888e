import type { Tracer } from '@opentelemetry/api';
import type { Call, Send } from '../call.ts';
import { explain } from './explain.ts';
import { facts } from './facts.ts';
import type { Tell } from './fate.ts';
import { createMetrics, type Observer } from './metrics.ts';
import { createSpans } from './spans.ts';

interface EventsOptions {
  /** Makes the spans of calls; undefined without traces. */
  readonly tracer?: Tracer | undefined;
  /** Counts calls; absent without metrics. */
  readonly observer?: Observer | undefined;
}

/** Tells all listeners, once, what happens to calls. */
interface Events {
  readonly tell: Tell<Call>;
  /** Sends calls, and tells when each is sent and how it ended. */
  sending(send: Send): Send;
}

const tellAll =
  (listeners: readonly Tell<Call>[]): Tell<Call> =>
  (fate) => {
    for (const hear of listeners) hear(fate);
  };

export const createEvents = ({ tracer, observer }: EventsOptions): Events => {
  const spans = tracer && createSpans(tracer);
  const listeners = [explain, facts, observer && createMetrics(observer), spans?.hear];
  const tell = tellAll(listeners.filter((hear) => hear !== undefined));
  return {
    tell,
    sending: (send) => async (call) => {
      const began = performance.now();
      const milliseconds = (): number => performance.now() - began;
      tell({ kind: 'sent', call });
      try {
        const answer = await (spans?.within(call, send) ?? send(call));
        tell({ kind: 'ended', call, milliseconds: milliseconds(), status: answer.status });
        return answer;
      } catch (error) {
        tell({ kind: 'ended', call, milliseconds: milliseconds(), error });
        throw error;
      }
    },
  };
};

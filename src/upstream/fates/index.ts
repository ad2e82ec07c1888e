import type { Tracer } from '@opentelemetry/api';
import type { Call, CallerIds, Send } from '../call.ts';
import type { UpstreamName } from '../error.ts';
import type { Tell } from '../fate.ts';
import type { Method } from '../operation.ts';
import { explain } from './explain.ts';
import { facts } from './facts.ts';
import { createMetrics, type Observer } from './metrics.ts';
import { createSpans } from './spans.ts';

/** A call that was sent, as the log shows it. */
export interface LoggedCall {
  readonly upstream: UpstreamName;
  readonly operation: string;
  readonly method: Method;
  /** Absent if no answer came. */
  readonly status: number | undefined;
  readonly milliseconds: number;
}

interface FatesOptions {
  /** Called once a call that was sent has ended. */
  readonly onSent: (call: LoggedCall, ids: CallerIds) => void;
  /** Makes the spans of calls; undefined without traces. */
  readonly tracer?: Tracer | undefined;
  /** Counts calls; absent without metrics. */
  readonly observer?: Observer | undefined;
}

/** Tells each step of a call once, to all listeners. */
interface Fates {
  readonly tell: Tell<Call>;
  /** Sends calls, and tells when each is sent and how it ended. */
  sending<Each extends Call>(send: Send<Each>): Send<Each>;
}

const tellAll =
  (listeners: readonly Tell<Call>[]): Tell<Call> =>
  (fate) => {
    for (const hear of listeners) hear(fate);
  };

const createLines =
  (onSent: FatesOptions['onSent']): Tell<Call> =>
  (fate) => {
    if (fate.kind !== 'ended') return;
    const { row, caller } = fate.call;
    const { status, milliseconds } = fate;
    const named = { upstream: row.api.name, operation: row.name, method: row.operation.method };
    onSent({ ...named, status, milliseconds: Math.round(milliseconds * 10) / 10 }, caller);
  };

export const createFates = ({ onSent, tracer, observer }: FatesOptions): Fates => {
  const spans = tracer && createSpans(tracer);
  const listeners = [
    ...[explain, facts, createLines(onSent)],
    ...[observer && createMetrics(observer), spans?.hear],
  ];
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

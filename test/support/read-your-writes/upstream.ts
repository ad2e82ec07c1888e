import type { Random } from '../random/random.ts';
import type { Part } from '../upstream/kinds.ts';
import type { Received } from '../upstream/simulated-transport.ts';

/** How often each part was changed. */
export type Versions = ReadonlyMap<Part, number>;

export const versionOf = (versions: Versions, part: Part): number => versions.get(part) ?? 0;

/** An answered read, with any status. */
export interface SeenRead {
  readonly credential: string;
  readonly path: string;
  /** The request for which it was sent. */
  readonly requestId: string;
  readonly sentAt: number;
  answeredAt: number;
  /** The state that it saw, at some moment between sending and answer. */
  versions: Versions;
}

export interface SeenWrite {
  /** The change; undefined before it, or without one. */
  written: { readonly at: number; readonly versions: Versions } | undefined;
  /** When its answer came, or its connection broke. */
  endedAt: number;
}

type Outcome = 'answered' | 'malformed' | 'cut-off' | 'timeout' | 401 | 403 | 404 | 429 | 500 | 503;

const faults: readonly [Outcome, ...Outcome[]] = [
  ...(['malformed', 'cut-off', 'cut-off', 'timeout', 401, 403, 404] as const),
  ...([429, 429, 500, 500, 503, 503] as const),
];

/** The longest time for which an upstream continues a write after its connection has closed, in milliseconds. */
const longestAfterwards = 20_000;

interface ModelOptions {
  readonly random: Random;
  /** Percent of the calls that fail. */
  readonly faulty: number;
  readonly isKnown: (credential: string) => boolean;
  /** The changes of the write in a request. */
  readonly changesOf: (requestId: string) => readonly Part[];
}

/**
 * Both upstreams, as a model that counts versions. A write takes effect at some moment between its arrival and its answer.
 */
export const createModel = ({ random, faulty, isKnown, changesOf }: ModelOptions) => {
  /** Each answer has its index in this list. */
  const reads: SeenRead[] = [];
  const writes = new Map<string, SeenWrite>();
  let versions: Versions = new Map();

  const outcomeOf = (credential: string): Outcome => {
    if (!isKnown(credential)) return 401;
    return random.chance(faulty) ? random.pick(faults) : 'answered';
  };

  /** In milliseconds. */
  const latencyOf = (outcome: Outcome): number => {
    if (outcome === 'timeout') return 1 + random.below(5000);
    return 1 + random.below(random.chance(80) ? 400 : 2500);
  };

  const end = (received: Received, outcome: Outcome, number: number): void => {
    const requestId = `answer-${number}`;
    const record = { id: 'id', name: String(number) };
    const isList = received.call.row.operation.shape === 'list';
    const result = isList ? [record] : record;
    if (outcome === 'cut-off' || outcome === 'timeout') received.fail(outcome);
    else if (outcome === 'answered') {
      received.answer({ status: 200, requestId, result, data: result });
    } else if (outcome === 'malformed') received.answer({ status: 500, requestId, result });
    else {
      const isWaitKnown = outcome === 429 || (outcome === 503 && random.chance(50));
      received.answer({ error: 'failed', message: 'failed', requestId }, outcome, {
        'content-type': 'application/json',
        ...(isWaitKnown && { 'retry-after': String(1 + random.below(3)) }),
      });
    }
  };

  const write = (received: Received, outcome: Outcome): void => {
    const { requestId } = received.call.caller;
    const latency = latencyOf(outcome);
    const seen: SeenWrite = { written: undefined, endedAt: Infinity };
    writes.set(requestId, seen);
    const isUnknown = outcome === 'cut-off' || outcome === 'timeout' || outcome === 500;
    const isCarriedOut = isUnknown ? random.chance(50) : !(typeof outcome === 'number');
    const longest = latency + (isUnknown && outcome !== 500 ? longestAfterwards : 0);
    if (isCarriedOut) {
      setTimeout(() => {
        const changed = changesOf(requestId).map(
          (part) => [part, versionOf(versions, part) + 1] as const,
        );
        versions = new Map([...versions, ...changed]);
        seen.written = { at: performance.now(), versions };
      }, random.below(longest));
    }
    setTimeout(() => {
      seen.endedAt = performance.now();
      end(received, outcome, -1);
    }, latency);
  };

  const read = (received: Received, outcome: Outcome): void => {
    const { credential, path } = received.call;
    const latency = latencyOf(outcome);
    const seen: SeenRead = {
      credential,
      path,
      requestId: received.call.caller.requestId,
      sentAt: received.sentAt,
      answeredAt: Infinity,
      versions,
    };
    const number = reads.push(seen) - 1;
    setTimeout(() => {
      seen.versions = versions;
    }, random.below(latency));
    setTimeout(() => {
      seen.answeredAt = performance.now();
      end(received, outcome, number);
    }, latency);
  };

  return {
    reads,
    writes,
    receive: (received: Received): void => {
      const { credential, row } = received.call;
      (row.operation.method === 'GET' ? read : write)(received, outcomeOf(credential));
    },
  };
};

export type Model = ReturnType<typeof createModel>;

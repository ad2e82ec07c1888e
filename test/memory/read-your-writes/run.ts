import fc from 'fast-check';
import { credentialIdentity } from '../../../src/upstream/credential-identity.ts';
import { mayBeCarriedOut, UpstreamError, type UpstreamName } from '../../../src/upstream/error.ts';
import type { Rate } from '../../../src/upstream/gate/slots.ts';
import type { Shared } from '../../../src/upstream/shared.ts';
import { createRandom, type Random } from '../../support/random/random.ts';
import { type Request, startSimulated } from '../../support/upstream/simulated.ts';
import { type Received, receiveWith } from '../../support/upstream/simulated-transport.ts';
import { type ReadKind, readKinds, type WriteKind, writeKinds } from './kinds.ts';

/** What one run is about: few things, so that reads and writes of them meet, or all of them. */
interface Topic {
  readonly reads: readonly ReadKind[];
  readonly writes: readonly WriteKind[];
}

const all: Topic = { reads: readKinds, writes: writeKinds };
const topics: readonly Topic[] = [
  all,
  ...writeKinds.flatMap(({ changes }) => {
    const about = {
      reads: readKinds.filter(({ path }) => changes.includes(path)),
      writes: writeKinds.filter((other) => other.changes.some((path) => changes.includes(path))),
    };
    return about.reads.length > 0 ? [about] : [];
  }),
];

const who = fc.constantFrom(0, 0, 0, 0, 0, 1, 2, 2, 2, 3);
/** The time between two commands, in milliseconds. */
export const wait = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom(0, 0, 20, 100, 400) },
  { weight: 10, arbitrary: fc.constantFrom(800, 1500, 3100) },
  { weight: 1, arbitrary: fc.constantFrom(6000, 12_000, 31_000) },
);
const operation = fc.nat(999);

/** A command for one of several gateways: the first one gets most, so that it also has several reads under way. */
export const commandAt = (gateways: number) => {
  const at = fc.oneof(fc.constant(0), fc.nat(gateways - 1));
  const read = fc.record({
    ...{ at, read: operation, who, wait },
    // no-cache, and two of `max-age`
    maxAge: fc.constantFrom(...Array<undefined>(12).fill(undefined), 0, 2, 20),
    pause: fc.constantFrom(0, 0, 0, 200, 600),
  });
  const write = fc.record({
    ...{ at, write: operation, who, wait },
    ...{ before: fc.option(operation), after: fc.option(operation) },
  });
  return fc.oneof(
    { weight: 8, arbitrary: read },
    { weight: gateways > 1 ? 3 : 2, arbitrary: write },
    { weight: 1, arbitrary: fc.record({ leave: fc.nat(), wait }) },
  );
};

type Command = ReturnType<typeof commandAt> extends fc.Arbitrary<infer Value> ? Value : never;
type RequestCommand = Exclude<Command, { leave: number }>;

/** The settings of the gateways, and the behaviour of the upstreams. */
export const settings = fc.record({
  topic: fc.nat(topics.length - 1),
  rate: fc.constantFrom<Rate | undefined>(
    undefined,
    { calls: 1, windowMs: 2000 },
    { calls: 2, windowMs: 5000 },
    { calls: 3, windowMs: 2000 },
    { calls: 5, windowMs: 10_000 },
  ),
  /** Seed for the behaviour of the upstreams. */
  draws: fc.nat(),
  /** Percent of the upstreams' calls that fail. */
  faulty: fc.constantFrom(0, 0, 5, 25),
});

interface Caller extends Readonly<Record<UpstreamName, string>> {
  readonly holder: string;
}
const one: Caller = {
  ...{ holder: 'one', management: 'Basic a2V5LTE6c2VjcmV0', observability: 'Bearer token-1' },
};
const callers: readonly Caller[] = [
  one,
  // The same credentials in another spelling.
  { holder: 'one', management: 'basic  a2V5LTE6c2VjcmV0', observability: 'bearer  token-1' },
  { holder: 'two', management: 'Basic a2V5LTI6c2VjcmV0', observability: 'Bearer token-2' },
  // Unknown to every upstream.
  { holder: 'invented', management: 'Basic aW52ZW50ZWQ6eA==', observability: 'Bearer invented' },
];
const isKnown = (credential: string): boolean => !/aW52ZW50ZWQ6eA|invented/.test(credential);

/** A read that an upstream has got. */
interface SeenRead {
  readonly credential: string;
  readonly path: string;
  readonly requestId: string;
  readonly sentAt: number;
  answeredAt: number;
}

interface AskedRead {
  /** The gateway that got the request. */
  readonly gateway: number;
  readonly kind: ReadKind;
  readonly caller: Caller;
  readonly request: Request;
  readonly maxAge: number | undefined;
  /** When the read began, which may be later than its request. */
  readonly askedAt: number;
  /** Whether the request has read it before, and may reuse that result. */
  readonly isAgain: boolean;
}

interface AskedWrite {
  readonly gateway: number;
  readonly kind: WriteKind;
  readonly caller: Caller;
  readonly request: Request;
  /** When the upstream answered, and when its caller knew. */
  endedAt: number;
  settledAt: number;
  error: unknown;
}

type Outcome = 'answered' | 'malformed' | 'cut-off' | 'timeout' | 401 | 403 | 404 | 429 | 500 | 503;
const outcomes: readonly [Outcome, ...Outcome[]] = [
  ...(['malformed', 'cut-off', 'cut-off', 'timeout', 401, 403, 404] as const),
  ...([429, 429, 500, 500, 503, 503] as const),
];

/** Both upstreams. The name of a record is the number of the read that brought it. */
const createUpstreams = (random: Random, faulty: number) => {
  const reads: SeenRead[] = [];
  /** When the write of each request was answered. */
  const writes = new Map<string, number>();
  const end = (received: Received, outcome: Outcome, number: number): void => {
    const record = { id: 'id', name: String(number) };
    const result = received.call.row.operation.shape === 'list' ? [record] : record;
    const requestId = `answer-${number}`;
    if (outcome === 'cut-off' || outcome === 'timeout') received.fail(outcome);
    else if (outcome === 'answered')
      received.answer({ status: 200, requestId, result, data: result });
    else if (outcome === 'malformed') received.answer({ status: 500, requestId, result });
    else {
      const isWaitKnown = outcome === 429 || (outcome === 503 && random.chance(50));
      received.answer({ error: 'failed', message: 'failed', requestId }, outcome, {
        'content-type': 'application/json',
        ...(isWaitKnown && { 'retry-after': String(1 + random.below(3)) }),
      });
    }
  };
  const receive = (received: Received): void => {
    const { credential, path, row, caller } = received.call;
    const isRead = row.operation.method === 'GET';
    const isFaulty = random.chance(faulty);
    const outcome = isFaulty ? random.pick(outcomes) : 'answered';
    const longest = outcome === 'timeout' ? 5000 : random.chance(80) ? 400 : 2500;
    const { requestId } = caller;
    const read = { credential, path, requestId, sentAt: received.sentAt, answeredAt: Infinity };
    const number = isRead ? reads.push(read) - 1 : -1;
    setTimeout(() => {
      read.answeredAt = performance.now();
      if (!isRead) writes.set(requestId, read.answeredAt);
      end(received, isKnown(credential) ? outcome : 401, number);
    }, 1 + random.below(longest));
  };
  return { reads, writes, receive };
};

/** Events within this time count as simultaneous, in milliseconds. */
const moment = 0.1;
const uncertainMs = 30_000;

/** Counts of events, over all runs. */
export interface Seen {
  reads: number;
  kept: number;
  stale: number;
  /** Reads answered with the result of another gateway. */
  elsewhere?: number;
  failures: number;
  writes: number;
  failedWrites: number;
}

export interface RunOptions {
  readonly topic: number;
  readonly rate: Rate | undefined;
  readonly draws: number;
  readonly faulty: number;
  readonly seen: Seen;
  /** The state that several gateways share; if absent, there is one gateway. */
  readonly shared?: readonly Shared[];
  /** Whether this gateway could not learn of the other's write, since they could not communicate. */
  readonly isApart?: (
    asked: AskedRead,
    write: { readonly gateway: number; readonly at: number; readonly hasFailed: boolean },
  ) => boolean;
}

/** One or several gateways in front of one model of the upstreams, with their requests. */
export const createRun = (options: RunOptions) => {
  const { rate, draws, faulty, seen, isApart } = options;
  const topic = topics[options.topic] ?? all;
  const writes: AskedWrite[] = [];
  const faults: string[] = [];
  const underWay = new Set<Request>();
  const ends: Promise<void>[] = [];
  const upstreams = createUpstreams(createRandom(draws), faulty);
  receiveWith(upstreams.receive);
  const gateways = (options.shared ?? [undefined]).map((shared, number) => {
    const rates = { managementRate: rate, observabilityRate: rate };
    return startSimulated({ ...rates, shared }, `request-${number}`);
  });

  /** What is wrong with an answer that was read then, as a write was answered before. */
  const faultOfWrite = (asked: AskedRead, read: SeenRead, write: AskedWrite) => {
    const { kind, caller, request, askedAt } = asked;
    const { arrivedAt } = request.caller;
    const { error, settledAt } = write;
    const since = write.request === request ? askedAt : arrivedAt;
    if (settledAt > since || !write.kind.changes.includes(kind.path)) return undefined;
    const { gateway } = write;
    if (isApart?.(asked, { gateway, at: settledAt, hasFailed: error !== undefined })) {
      return undefined;
    }
    const failure = error instanceof UpstreamError ? error.failure : undefined;
    // 2xx is a success, whatever it says.
    const hasSucceeded =
      error === undefined || (failure?.reason === 'bad-response' && failure.status === 200);
    const isOwn = write.caller.holder === caller.holder;
    const isForAll = hasSucceeded && kind.upstream === 'management';
    if ((isOwn || isForAll) && read.sentAt < write.endedAt - moment) {
      return 'was read before the end of a mutation';
    }
    const isUncertain = isOwn && !hasSucceeded && failure && mayBeCarriedOut(failure);
    const wasKept = read.answeredAt < Math.min(arrivedAt, settledAt + uncertainMs);
    return isUncertain && wasKept ? 'was kept after a mutation that is uncertain' : undefined;
  };

  const isOfCaller = (read: SeenRead | undefined, { caller, kind }: AskedRead): boolean =>
    read !== undefined &&
    credentialIdentity(read.credential) === credentialIdentity(caller[kind.upstream]);

  /** What is wrong with the answer to a read, at its arrival. */
  const faultOf = (asked: AskedRead, read: SeenRead | undefined): string | undefined => {
    const { kind, request, maxAge = Infinity, isAgain } = asked;
    const { arrivedAt, ages } = request.caller;
    if (!read || !isOfCaller(read, asked)) return 'is of another credential';
    if (read.path !== kind.path) return 'is of another path';
    if (read.sentAt < arrivedAt - maxAge * 1000) return 'is too old';
    const isKept = read.answeredAt < arrivedAt && !isAgain;
    const age = isKept ? performance.now() - read.answeredAt : 0;
    const isStale = age > kind.freshSeconds * 1000 + moment;
    if (isStale && ages.stalestSeconds === undefined) return 'is stale and does not say so';
    for (const write of writes) {
      const fault = faultOfWrite(asked, read, write);
      if (fault) return fault;
    }
    return undefined;
  };

  const faultOfError = (asked: AskedRead, error: unknown): string | undefined => {
    if (!(error instanceof UpstreamError)) return `is no failure of an upstream: ${error}`;
    const [, number] = error.failure.requestId?.split('answer-') ?? [];
    const isOwn = number === undefined || isOfCaller(upstreams.reads[Number(number)], asked);
    return isOwn ? undefined : 'is the failure of another credential';
  };

  const read = async (asked: Omit<AskedRead, 'askedAt'>): Promise<void> => {
    const { kind, request, gateway } = asked;
    const now = { ...asked, askedAt: performance.now() };
    const { ages } = request.caller;
    let fault: string | undefined;
    seen.reads += 1;
    try {
      const found = upstreams.reads[Number(await kind.read(request))];
      fault = faultOf(now, found);
      const isElsewhere = found?.requestId.startsWith(`request-${gateway}-`) === false;
      if (seen.elsewhere !== undefined && isElsewhere) seen.elsewhere += 1;
      if (ages.oldestSeconds !== undefined) seen.kept += 1;
      if (ages.stalestSeconds !== undefined) seen.stale += 1;
    } catch (error) {
      seen.failures += 1;
      fault = faultOfError(now, error);
    }
    if (fault) faults.push(`${kind.path} ${fault}`);
  };

  const write = async (asked: Pick<AskedWrite, 'gateway' | 'kind' | 'caller' | 'request'>) => {
    const own = { ...asked, endedAt: Infinity, settledAt: Infinity, error: undefined as unknown };
    writes.push(own);
    seen.writes += 1;
    try {
      await asked.kind.write(asked.request);
    } catch (error) {
      seen.failedWrites += 1;
      own.error = error;
    }
    own.settledAt = performance.now();
    // A mutation may be answered before its call has ended.
    own.endedAt = upstreams.writes.get(asked.request.caller.requestId) ?? own.settledAt;
  };

  const carryOut = async (request: Request, caller: Caller, command: RequestCommand) => {
    const { at: gateway } = command;
    underWay.add(request);
    const readKind = (number: number) => topic.reads[number % topic.reads.length];
    const readOne = async (kind: ReadKind | undefined, more: object = {}): Promise<void> => {
      const asked = { gateway, caller, request, maxAge: undefined, isAgain: false };
      if (kind) await read({ ...asked, kind, ...more });
    };
    if ('read' in command) {
      if (command.pause > 0) await new Promise((go) => setTimeout(go, command.pause));
      await readOne(readKind(command.read), { maxAge: command.maxAge });
    } else {
      const [before, after] = [command.before, command.after].map((number) =>
        number === null ? undefined : readKind(number),
      );
      await readOne(before);
      const kind = topic.writes[command.write % topic.writes.length];
      if (kind) await write({ gateway, kind, caller, request });
      await readOne(after, { isAgain: after === before });
    }
    underWay.delete(request);
  };

  return {
    /** The errors in answers so far. */
    faults,
    /** Starts a request now. */
    request: (command: RequestCommand): void => {
      const gateway = gateways[command.at];
      if (!gateway) throw new Error(`there is no gateway ${command.at}`);
      const caller = callers[command.who] ?? one;
      const maxAge = 'maxAge' in command ? command.maxAge : undefined;
      const request = gateway.ask({ ...caller, ...(maxAge !== undefined && { maxAge }) });
      ends.push(carryOut(request, caller, command));
    },
    /** Makes one of the waiting callers leave. */
    leave: (number: number): void => [...underWay][number % underWay.size]?.leave(),
    /** Stops the gateway when all requests have been answered. */
    end: async (): Promise<void> => {
      await Promise.all(ends);
      const { signal } = new AbortController();
      await Promise.all(gateways.map((gateway) => gateway.upstreams.close(signal)));
    },
  };
};

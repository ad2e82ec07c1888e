import fc from 'fast-check';
import { credentialIdentity } from '../../../src/upstream/credential-identity.ts';
import { UpstreamError, type UpstreamName } from '../../../src/upstream/error.ts';
import type { Rate } from '../../../src/upstream/gate/slots.ts';
import type { Shared } from '../../../src/upstream/shared.ts';
import { createRandom } from '../random/random.ts';
import {
  otherReadKinds,
  type ReadKind,
  readKinds,
  type WriteKind,
  writeKinds,
} from '../upstream/kinds.ts';
import { type Request, startSimulated } from '../upstream/simulated.ts';
import { receiveWith } from '../upstream/simulated-transport.ts';
import {
  type AskedRead,
  type AskedWrite,
  faultOfError,
  faultOfRead,
  type Refusal,
  type Who,
  type World,
} from './check.ts';
import { createModel } from './upstream.ts';

interface Topic {
  readonly reads: readonly ReadKind[];
  readonly writes: readonly WriteKind[];
}

const reads = [...readKinds, ...otherReadKinds].filter(({ isCommon }) => isCommon);
const writes = writeKinds.filter(({ isCommon }) => isCommon);

/** What one run is about: few things, so that reads and writes of them meet, or all of them. */
const topics: readonly [Topic, ...Topic[]] = [
  { reads, writes },
  ...writes.flatMap(({ changes }) => {
    const about = {
      reads: reads.filter(({ path }) => changes.includes(path)),
      writes: writes.filter((other) => other.changes.some((part) => changes.includes(part))),
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

const readMembers = {
  read: operation,
  who,
  // no-cache, and two of `max-age`
  maxAge: fc.constantFrom(...Array<undefined>(12).fill(undefined), 0, 2, 20),
  pause: fc.constantFrom(0, 0, 0, 200, 600),
  wait,
};
const writeMembers = {
  write: operation,
  who,
  before: fc.option(operation),
  after: fc.option(operation),
  wait,
};

const leaving = fc.record({ leave: fc.nat(), wait });

/** A command for one gateway. */
export const command = fc.oneof(
  { weight: 8, arbitrary: fc.record(readMembers) },
  { weight: 2, arbitrary: fc.record(writeMembers) },
  { weight: 1, arbitrary: leaving },
);

/** A command for one of several gateways. */
export const commandAt = (gateways: number) => {
  // The first gateway gets most commands, so that it also has several reads under way.
  const at = fc.oneof(fc.constant(0), fc.nat(gateways - 1));
  return fc.oneof(
    { weight: 8, arbitrary: fc.record({ ...readMembers, at }) },
    { weight: 3, arbitrary: fc.record({ ...writeMembers, at }) },
    { weight: 1, arbitrary: leaving },
  );
};

const rates = fc.constantFrom(
  undefined,
  { calls: 1, windowMs: 2000 },
  { calls: 2, windowMs: 5000 },
  { calls: 3, windowMs: 2000 },
  { calls: 5, windowMs: 10_000 },
);

/** The settings of the gateways, and the behaviour of the upstreams. */
export const settings = fc.record({
  topic: fc.nat(topics.length - 1),
  rate: rates,
  draws: fc.nat(),
  faulty: fc.constantFrom(0, 0, 5, 25),
});

/** A request: the caller's number, and its reads and writes, numbered within the run's topic. */
export type RequestCommand = {
  readonly who: number;
  /** The gateway that gets it; the first one if absent. */
  readonly at?: number;
} & (
  | { readonly read: number; readonly maxAge: number | undefined; readonly pause: number }
  | { readonly write: number; readonly before: number | null; readonly after: number | null }
);

interface Caller extends Readonly<Record<UpstreamName, string>> {
  readonly holder: string;
}

const callers: readonly [Caller, ...Caller[]] = [
  { holder: 'one', management: 'Basic a2V5LTE6c2VjcmV0', observability: 'Bearer token-1' },
  // The same credentials in another spelling.
  { holder: 'one', management: 'basic  a2V5LTE6c2VjcmV0', observability: 'bearer  token-1' },
  { holder: 'two', management: 'Basic a2V5LTI6c2VjcmV0', observability: 'Bearer token-2' },
  // Unknown to every upstream.
  { holder: 'invented', management: 'Basic aW52ZW50ZWQ6eA==', observability: 'Bearer invented' },
];
const isKnown = (credential: string): boolean => !/aW52ZW50ZWQ6eA|invented/.test(credential);

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
  /** Its number. */
  readonly topic: number;
  readonly rate: Rate | undefined;
  /** Seed for the behaviour of the upstreams. */
  readonly draws: number;
  /** Percent of the upstreams' calls that fail. */
  readonly faulty: number;
  readonly seen: Seen;
  /** The state that several gateways share; if absent, there is one gateway. */
  readonly shared?: readonly Shared[];
  readonly isApart?: World['isApart'];
}

/** One or several gateways in front of one model of the upstreams, with their requests. */
export const createRun = (options: RunOptions) => {
  const { rate, draws, faulty, seen, isApart } = options;
  const topic = topics[options.topic] ?? topics[0];
  const writes: AskedWrite[] = [];
  const refusals: Refusal[] = [];
  const faults: string[] = [];
  const underWay = new Set<Request>();
  const outcomes: Promise<void>[] = [];
  const model = createModel({
    random: createRandom(draws),
    faulty,
    isKnown,
    changesOf: (id) =>
      writes.find(({ request }) => request.caller.requestId === id)?.kind.changes ?? [],
  });
  receiveWith(model.receive);
  const gateways = (options.shared ?? [undefined]).map((shared, number) => {
    const rates = { managementRate: rate, observabilityRate: rate };
    return startSimulated({ ...rates, shared }, `request-${number}`);
  });
  const world: World = { model, writes, refusals, ...(isApart && { isApart }) };

  const whoOf = (caller: Caller, upstream: UpstreamName): Who => ({
    holder: caller.holder,
    identity: credentialIdentity(caller[upstream]),
  });
  const noteRefusal = (gateway: number, who: Who, upstream: UpstreamName, error: unknown): void => {
    const status = error instanceof UpstreamError ? error.failure.status : undefined;
    if (status !== 401) return;
    refusals.push({ gateway, who, upstream, toldAt: performance.now() });
  };

  /** @param readBefore the paths that the request has read before */
  const read = async (
    request: Request,
    caller: Caller,
    command: {
      readonly at?: number;
      readonly read: number;
      readonly maxAge: number | undefined;
    },
    readBefore: readonly string[] = [],
  ): Promise<string | undefined> => {
    const kind = topic.reads[command.read % topic.reads.length];
    if (!kind) return undefined;
    const { at: gateway = 0 } = command;
    const asked: AskedRead = {
      gateway,
      kind,
      who: whoOf(caller, kind.upstream),
      request,
      maxAge: command.maxAge,
      askedAt: performance.now(),
      isAgain: readBefore.includes(kind.path),
    };
    const { ages } = request.caller;
    let fault: string | undefined;
    seen.reads += 1;
    try {
      const record = await kind.read(request);
      fault = faultOfRead(world, asked, record);
      const { requestId } = model.reads[Number(record?.name)] ?? {};
      const isElsewhere = requestId?.startsWith(`request-${gateway}-`) === false;
      if (seen.elsewhere !== undefined && isElsewhere) seen.elsewhere += 1;
      if (ages.oldestSeconds !== undefined) seen.kept += 1;
      if (ages.stalestSeconds !== undefined) seen.stale += 1;
    } catch (error) {
      seen.failures += 1;
      fault = faultOfError(world, asked, error);
      noteRefusal(gateway, asked.who, kind.upstream, error);
    }
    if (fault) faults.push(`${kind.path} ${fault}`);
    return kind.path;
  };

  const write = async (
    request: Request,
    caller: Caller,
    number: number,
    gateway: number,
  ): Promise<void> => {
    const kind = topic.writes[number % topic.writes.length];
    if (!kind) return;
    const asked: AskedWrite = { gateway, kind, who: whoOf(caller, kind.upstream), request };
    writes.push(asked);
    seen.writes += 1;
    try {
      await kind.write(request);
    } catch (error) {
      seen.failedWrites += 1;
      asked.error = error;
      noteRefusal(gateway, asked.who, kind.upstream, error);
    }
    asked.settledAt = performance.now();
  };

  const carryOut = async (request: Request, command: RequestCommand): Promise<void> => {
    const caller = callers[command.who] ?? callers[0];
    underWay.add(request);
    if ('read' in command) {
      if (command.pause > 0) await new Promise((go) => setTimeout(go, command.pause));
      await read(request, caller, command);
    } else {
      const { before, after } = command;
      const one = { maxAge: undefined, at: command.at ?? 0 };
      const path =
        before === null ? undefined : await read(request, caller, { ...one, read: before });
      await write(request, caller, command.write, one.at);
      if (after !== null) await read(request, caller, { ...one, read: after }, path ? [path] : []);
    }
    underWay.delete(request);
  };

  return {
    /** The errors in answers so far. */
    faults,
    /** Starts a request now. */
    request: (command: RequestCommand): void => {
      const gateway = gateways[command.at ?? 0];
      if (!gateway) throw new Error(`there is no gateway ${command.at}`);
      const { management, observability } = callers[command.who] ?? callers[0];
      const maxAge = 'maxAge' in command ? command.maxAge : undefined;
      const request = gateway.ask({
        management,
        observability,
        ...(maxAge !== undefined && { maxAge }),
      });
      outcomes.push(carryOut(request, command));
    },
    /** Makes one of the waiting callers leave. */
    leave: (number: number): void => [...underWay][number % underWay.size]?.leave(),
    /** Stops the gateway when all requests have been answered. */
    end: async (): Promise<void> => {
      await Promise.all(outcomes);
      const { signal } = new AbortController();
      await Promise.all(gateways.map(({ upstreams }) => upstreams.close(signal)));
    },
  };
};

import { credentialIdentity } from '../../../src/upstream/credential-identity.ts';
import { asksForPause, mayBeCarriedOut, UpstreamError } from '../../../src/upstream/error.ts';
import type { ReadKind, WriteKind } from '../upstream/kinds.ts';
import type { Request } from '../upstream/simulated.ts';
import { type Model, type SeenRead, versionOf } from './upstream.ts';

export interface Who {
  readonly holder: string;
  /** The same for all spellings of a credential. */
  readonly identity: string;
}

export interface AskedRead {
  /** The gateway that got the request. */
  readonly gateway: number;
  readonly kind: ReadKind;
  readonly who: Who;
  readonly request: Request;
  readonly maxAge: number | undefined;
  /** When the read began, which may be later than its request. */
  readonly askedAt: number;
  /** Whether the request has read it before, and may reuse that result. */
  readonly isAgain: boolean;
}

/** A mutation, as its caller saw it. */
export interface AskedWrite {
  readonly gateway: number;
  readonly kind: WriteKind;
  readonly who: Who;
  readonly request: Request;
  /** When its result was known; undefined before. */
  settledAt?: number;
  error?: unknown;
}

/** An answer that refused a credential. */
export interface Refusal {
  readonly gateway: number;
  readonly who: Who;
  readonly upstream: ReadKind['upstream'];
  /** When a request got the refusal. */
  readonly toldAt: number;
}

export interface World {
  readonly model: Model;
  readonly writes: readonly AskedWrite[];
  readonly refusals: readonly Refusal[];
  /** Whether this gateway could not learn of the other's refusal, since they could not communicate. */
  readonly isApart?: (
    asked: AskedRead,
    told: { readonly gateway: number; readonly at: number },
  ) => boolean;
}

/** Events within this time count as simultaneous, in milliseconds. */
const moment = 0.1;
const uncertainMs = 30_000;
const staleMs = 60_000;
const pacingWaitMs = 25_000;

/** Whether the answer came with 2xx, regardless of its content. */
const hasSucceeded = ({ error }: AskedWrite): boolean =>
  error === undefined ||
  (error instanceof UpstreamError &&
    error.failure.reason === 'bad-response' &&
    error.failure.status === 200);

/** Whether the result of a write is unknown. */
const isUncertain = (write: AskedWrite): boolean =>
  !hasSucceeded(write) &&
  write.error instanceof UpstreamError &&
  mayBeCarriedOut(write.error.failure);

/** The error in an answer that ignores an earlier mutation. */
const faultOfWrite = (
  { model, isApart }: World,
  asked: AskedRead,
  read: SeenRead,
  write: AskedWrite,
): string | undefined => {
  const { kind, who, request, askedAt } = asked;
  const isSameRequest = write.request === request;
  const since = isSameRequest ? askedAt : request.caller.arrivedAt;
  const { settledAt = Infinity } = write;
  const seen = model.writes.get(write.request.caller.requestId);
  if (!seen || settledAt > since) return undefined;
  if (isApart?.(asked, { gateway: write.gateway, at: settledAt })) return undefined;
  if (!write.kind.changes.includes(kind.path)) return undefined;
  // A mutation may be answered before its call has ended.
  const endedAt = Math.min(seen.endedAt, settledAt);
  const isOwn = write.who.holder === who.holder;
  const isForAll = hasSucceeded(write) && kind.upstream === 'management';
  const isKept = read.answeredAt < request.caller.arrivedAt;

  if (isOwn || isForAll) {
    if (read.sentAt < endedAt - moment) return 'was read before the end of a mutation';
    // A write with an unknown result may still be carried out for a while.
    const isOver = isOwn && since > settledAt + uncertainMs;
    if (seen.written && (seen.written.at <= endedAt || isOver)) {
      const { versions } = seen.written;
      if (versionOf(read.versions, kind.path) < versionOf(versions, kind.path))
        return 'shows what was before a mutation';
    }
  }
  if (isOwn && isUncertain(write) && isKept && read.answeredAt < settledAt + uncertainMs) {
    return 'was kept after a mutation that is uncertain';
  }
  return undefined;
};

/** How long it may take until a gateway has checked its cache and reports a refusal, in milliseconds. */
const noticeMs = 500;

/** The error in the answer to a read, at its arrival. */
export const faultOfRead = (
  world: World,
  asked: AskedRead,
  record: { readonly name?: unknown } | undefined,
): string | undefined => {
  const { kind, who, request, maxAge, askedAt, isAgain } = asked;
  const { arrivedAt, ages } = request.caller;
  const read = world.model.reads[Number(record?.name)];
  if (!read) return 'is no answer to a read';
  if (credentialIdentity(read.credential) !== who.identity) return 'is of another credential';
  if (read.path.toLowerCase() !== kind.path) return 'is of another path';
  if (kind.isFresh && read.sentAt < askedAt) return 'is not read anew';
  if (maxAge !== undefined && read.sentAt < arrivedAt - maxAge * 1000) return 'is too old';

  const isKept = read.answeredAt < arrivedAt;
  const age = isAgain ? 0 : performance.now() - read.answeredAt;
  if (isKept && age > staleMs + moment) return 'is older than a minute';
  if (isKept && age > kind.freshSeconds * 1000 + moment) {
    if (ages.stalestSeconds === undefined) return 'is stale and does not say so';
  }
  const isRefused = world.refusals.some(
    ({ who: refused, upstream, toldAt, gateway }) =>
      !world.isApart?.(asked, { gateway, at: toldAt }) &&
      refused.holder === who.holder &&
      upstream === kind.upstream &&
      toldAt <= arrivedAt &&
      isKept &&
      // Another gateway records no refusal if its cache was still empty.
      !(read.answeredAt > toldAt - noticeMs && !read.requestId.startsWith(`request-${gateway}-`)) &&
      read.sentAt < toldAt - moment,
  );
  if (isRefused) return 'was kept though the credential was refused since';

  for (const write of world.writes) {
    const fault = faultOfWrite(world, asked, read, write);
    if (fault) return fault;
  }
  return undefined;
};

/** Failures that are cached, since the next read would fail in the same way. */
const lasting = [403, 404, 424];

/** The error in a failed read: the failure must be new, or a cached one. */
export const faultOfError = (
  { model, writes }: World,
  { who, request, gateway, kind }: AskedRead,
  error: unknown,
): string | undefined => {
  if (!(error instanceof UpstreamError)) return `is no failure of an upstream: ${error}`;
  const [, number] = error.failure.requestId?.split('answer-') ?? [];
  if (number === undefined) return undefined;
  const read = model.reads[Number(number)];
  if (!read || credentialIdentity(read.credential) !== who.identity)
    return 'is the failure of another credential';
  // A request that joins a read waiting for a retry gets the last failure if it is refused.
  const isAwaited =
    asksForPause(error.failure) && read.answeredAt > request.caller.arrivedAt - pacingWaitMs;
  const { arrivedAt } = request.caller;
  if (read.answeredAt >= arrivedAt || isAwaited) return undefined;
  if (!lasting.includes(error.failure.status ?? 0)) return 'is a failure that was kept';
  if (read.answeredAt < arrivedAt - staleMs - moment)
    return 'is a failure of more than a minute ago';
  const isOld = writes.some(
    (write) =>
      write.who.holder === who.holder &&
      write.gateway === gateway &&
      write.kind.changes.includes(kind.path) &&
      (write.settledAt ?? Infinity) <= arrivedAt &&
      read.sentAt < (write.settledAt ?? Infinity) - moment,
  );
  if (isOld) return 'is a failure from before a mutation';
  return undefined;
};

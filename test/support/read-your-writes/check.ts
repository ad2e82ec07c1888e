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
  /** The gateway that was asked. */
  readonly gateway: number;
  readonly kind: ReadKind;
  readonly who: Who;
  readonly request: Request;
  readonly maxAge: number | undefined;
  /** When the read began, which may be later than its request. */
  readonly askedAt: number;
  /** Whether the request has read it before, and may have it from there. */
  readonly isAgain: boolean;
}

/** A mutation, as its caller saw it. */
export interface AskedWrite {
  readonly gateway: number;
  readonly kind: WriteKind;
  readonly who: Who;
  readonly request: Request;
  /** When it was told what became of it; undefined before. */
  settledAt?: number;
  error?: unknown;
}

/** An answer that refused a credential. */
export interface Refusal {
  readonly gateway: number;
  readonly who: Who;
  readonly upstream: ReadKind['upstream'];
  /** When a request was told. */
  readonly toldAt: number;
}

export interface World {
  readonly model: Model;
  readonly writes: readonly AskedWrite[];
  readonly refusals: readonly Refusal[];
  /** Whether that gateway cannot know what another one was told, since they could not tell each other. */
  readonly isApart?: (
    asked: AskedRead,
    told: { readonly gateway: number; readonly at: number },
  ) => boolean;
}

/** More than the time within which all that one moment brings about is counted as that moment, in milliseconds. */
const moment = 0.1;
const uncertainMs = 30_000;
const staleMs = 60_000;
const pacingWaitMs = 25_000;

/** Whether the answer came with 2xx, whatever could be made of it. */
const hasSucceeded = ({ error }: AskedWrite): boolean =>
  error === undefined ||
  (error instanceof UpstreamError &&
    error.failure.reason === 'bad-response' &&
    error.failure.status === 200);

/** Whether nobody knows what became of it. */
const isUncertain = (write: AskedWrite): boolean =>
  !hasSucceeded(write) &&
  write.error instanceof UpstreamError &&
  mayBeCarriedOut(write.error.failure);

/** What is wrong with an answer on account of a mutation that had been answered before. */
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
    // What nobody knows the outcome of may still be carried out a while after that.
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

/** How long it may take until a gateway has looked whether anything is kept, and tells of a refusal, in milliseconds. */
const noticeMs = 500;

/** What is wrong with the answer to a read, now that it has come. */
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
      // Another gateway notes no refusal where nothing was kept yet.
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

/** Failures that are kept, since the next read would meet them again. */
const lasting = [403, 404, 424];

/** What is wrong with the error of a read: it is to be news, or one that is kept. */
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
  // Who joins a read that waits to be sent again, and is refused, is told what it failed with before.
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

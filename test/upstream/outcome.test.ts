import { describe, expect, it } from 'vitest';
import type { FailureReason } from '../../src/upstream/error.ts';
import type { CallOutcome } from '../../src/upstream/sending/breaker.ts';
import { outcomeOfAnswer, outcomeOfFailure } from '../../src/upstream/sending/breaker-step.ts';

describe('an answer tells of the upstream’s health', () => {
  it.each<readonly [status: number, read: CallOutcome, write: CallOutcome]>([
    [200, 'success', 'success'],
    [204, 'success', 'success'],
    [302, 'success', 'success'],
    [400, 'success', 'success'],
    [401, 'success', 'success'],
    [404, 'success', 'success'],
    [408, 'success', 'success'],
    [424, 'success', 'success'],
    [429, 'success', 'success'],
    [500, 'success', 'success'],
    [501, 'success', 'success'],
    [502, 'failure', 'unknown'],
    [503, 'failure', 'unknown'],
    [504, 'failure', 'unknown'],
    [505, 'success', 'success'],
    ...[520, 521, 522, 523, 524, 525, 526, 530].map(
      (status) => [status, 'failure', 'unknown'] as const,
    ),
    ...[527, 528, 529].map((status) => [status, 'success', 'success'] as const),
  ])('%i: of a read %s, of a write %s', (status, read, write) => {
    expect(outcomeOfAnswer(false, { status, headers: {} })).toBe(read);
    expect(outcomeOfAnswer(true, { status, headers: {} })).toBe(write);
  });

  it.each<readonly [title: string, headers: Record<string, string>, CallOutcome]>([
    ['seconds', { 'retry-after': '60' }, 'success'],
    ['a date', { 'retry-after': 'Thu, 01 Jan 2099 00:00:00 GMT' }, 'success'],
    ['nothing that can be read', { 'retry-after': 'soon' }, 'failure'],
    ['a limit’s reset alone, which stands on every answer', { 'ratelimit-reset': '9' }, 'failure'],
  ])('503 whose headers hold %s: %o', (_, headers, outcome) => {
    expect(outcomeOfAnswer(false, { status: 503, headers })).toBe(outcome);
  });
});

describe('a call without an answer tells of the upstream’s health', () => {
  it.each<
    readonly [
      title: string,
      reason: FailureReason,
      cause: string | undefined,
      inFlightMs: number | undefined,
      read: CallOutcome,
    ]
  >([
    ['refused', 'unreachable', 'ECONNREFUSED', undefined, 'cannot-connect'],
    ['reset while connecting', 'unreachable', 'ECONNRESET', undefined, 'cannot-connect'],
    ['an unknown name', 'unreachable', 'ENOTFOUND', undefined, 'cannot-connect'],
    ['a bad certificate', 'unreachable', 'CERT_HAS_EXPIRED', undefined, 'cannot-connect'],
    ['no connection in time', 'timeout', 'UND_ERR_CONNECT_TIMEOUT', undefined, 'cannot-connect'],
    ['a full queue', 'queue-full', undefined, undefined, 'unknown'],
    ['late, and still queued', 'timeout', undefined, undefined, 'unknown'],
    ['left, and still queued', 'aborted', undefined, undefined, 'unknown'],
    ['a gateway that stops', 'unreachable', 'UND_ERR_DESTROYED', undefined, 'unknown'],
    ['a gateway out of files', 'unreachable', 'EMFILE', undefined, 'unknown'],
    ['a system out of files', 'unreachable', 'ENFILE', undefined, 'unknown'],
    ['cut off at once', 'cut-off', 'UND_ERR_SOCKET', 0, 'failure'],
    ['late after 9.999 s in flight', 'timeout', undefined, 9_999, 'unknown'],
    ['late after 10 s in flight', 'timeout', undefined, 10_000, 'failure'],
    ['left after 9.999 s in flight', 'aborted', undefined, 9_999, 'unknown'],
    ['left after 10 s in flight', 'aborted', undefined, 10_000, 'failure'],
    ['no headers within 30 s', 'timeout', 'UND_ERR_HEADERS_TIMEOUT', 30_000, 'failure'],
    ['no more body within 30 s', 'timeout', 'UND_ERR_BODY_TIMEOUT', 30_001, 'failure'],
    ['an answer beyond all measure', 'bad-response', 'UND_ERR_RES_EXCEEDED_MAX_SIZE', 5, 'success'],
    ['what is no HTTP', 'bad-response', undefined, 5, 'success'],
  ])('%s', (_, reason, cause, inFlightMs, read) => {
    expect(outcomeOfFailure({ reason, write: false, cause, inFlightMs })).toBe(read);
    const write = read === 'success' ? 'success' : 'unknown';
    expect(outcomeOfFailure({ reason, write: true, cause, inFlightMs })).toBe(write);
  });
});

import { expect, it } from 'vitest';
import { type Failure, mayBeCarriedOut, wasNeverSent } from '../../src/upstream/error.ts';

type Facts = Pick<Failure, 'reason' | 'inFlightMs' | 'status'>;

const failure = (facts: Facts, write: boolean): Failure => ({
  upstream: 'management',
  operation: 'updatePipe',
  write,
  ...facts,
});

it.each<readonly [title: string, facts: Facts, fate: 'perhaps' | 'never sent' | 'told']>([
  ['cut off', { reason: 'cut-off', inFlightMs: 5 }, 'perhaps'],
  ['late in flight', { reason: 'timeout', inFlightMs: 5 }, 'perhaps'],
  ['given up in flight', { reason: 'aborted', inFlightMs: 5 }, 'perhaps'],
  ['answered with what is no HTTP', { reason: 'bad-response', inFlightMs: 5 }, 'perhaps'],
  ['answered with what cannot be read', { reason: 'bad-response', status: 200 }, 'perhaps'],
  ['answered with 500', { reason: 'status', status: 500 }, 'perhaps'],
  ['answered with 502', { reason: 'status', status: 502 }, 'perhaps'],
  ['answered with 504', { reason: 'status', status: 504 }, 'perhaps'],
  ['not connected', { reason: 'unreachable' }, 'never sent'],
  ['late while it connects', { reason: 'timeout' }, 'never sent'],
  ['late before it is sent', { reason: 'timeout' }, 'never sent'],
  ['given up before it is sent', { reason: 'aborted' }, 'never sent'],
  ['kept back', { reason: 'circuit-open' }, 'never sent'],
  ['one too many to wait', { reason: 'queue-full' }, 'never sent'],
  ['redirected', { reason: 'bad-response', status: 302 }, 'told'],
  ['answered with 503', { reason: 'status', status: 503 }, 'told'],
  ['answered with 429', { reason: 'status', status: 429 }, 'told'],
  ['answered with 409', { reason: 'status', status: 409 }, 'told'],
  ['sent to no route', { reason: 'no-such-route', status: 404 }, 'told'],
])('a write that is %s: %o was carried out: %s', (_, facts, fate) => {
  const write = failure(facts, true);
  expect([mayBeCarriedOut(write), wasNeverSent(write)]).toEqual([
    fate === 'perhaps',
    fate === 'never sent',
  ]);
  expect(mayBeCarriedOut(failure(facts, false))).toBe(false);
});

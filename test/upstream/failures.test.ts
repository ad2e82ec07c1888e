import { expect, it } from 'vitest';
import { isMissingRoute, type NotFoundBody } from '../../src/upstream/decode.ts';
import {
  type Failure,
  mayBeCarriedOut,
  type UpstreamName,
  wasNeverSent,
} from '../../src/upstream/error.ts';
import { beyondReference, del, get, post } from '../../src/upstream/operation.ts';

type Facts = Partial<Failure>;

const failureOf = (facts: Facts): Failure => ({
  ...{ upstream: 'management', operation: 'updatePipe', write: false, reason: 'status' },
  ...facts,
});

it.each<readonly [fate: 'perhaps' | 'never sent' | 'told', facts: Facts]>([
  ['perhaps', { reason: 'cut-off', inFlightMs: 5 }],
  ['perhaps', { reason: 'timeout', inFlightMs: 5 }],
  ['perhaps', { reason: 'aborted', inFlightMs: 5 }],
  ['perhaps', { reason: 'bad-response', inFlightMs: 5 }],
  ['perhaps', { reason: 'bad-response', status: 200 }],
  ['perhaps', { status: 500 }],
  ['perhaps', { status: 502 }],
  ['perhaps', { status: 504 }],
  ['never sent', { reason: 'unreachable' }],
  ['never sent', { reason: 'timeout' }],
  ['never sent', { reason: 'aborted' }],
  ['never sent', { reason: 'circuit-open' }],
  ['never sent', { reason: 'queue-full' }],
  ['told', { reason: 'bad-response', status: 302 }],
  ['told', { status: 503 }],
  ['told', { status: 429 }],
  ['told', { status: 409 }],
  ['told', { reason: 'no-such-route', status: 404 }],
])('whether a write was carried out is %s with %o', (fate, facts) => {
  const write = failureOf({ ...facts, write: true });
  expect([mayBeCarriedOut(write), wasNeverSent(write)]).toEqual([
    ...[fate === 'perhaps', fate === 'never sent'],
  ]);
  expect(mayBeCarriedOut(failureOf(facts))).toBe(false);
});

const fresh = { freshSeconds: 1 };
const one = get('/things/{thingId}', fresh).one();
const operations = {
  ...{ one, extended: beyondReference(get('/things/{thingId}', fresh).one()) },
  remove: del('/things/{thingId}', { changes: [] }).nothing(),
  all: get('/things', fresh).list(),
  within: get('/things/{thingId}/parts', fresh).list(),
  create: post('/things', { changes: [] }).body().one(),
};

it.each<readonly [UpstreamName, operation: keyof typeof operations, route: string, thing: string]>([
  ['management', 'one', 'html other', 'json'],
  ['management', 'extended', 'other', 'json'],
  ['management', 'within', 'html', 'json'],
  ['management', 'all', 'json other', ''],
  ['management', 'create', 'other', 'json'],
  ['observability', 'one', 'html', 'json other'],
  ['observability', 'extended', 'html other', 'json'],
  ['observability', 'remove', 'html', 'other'],
  ['observability', 'all', 'json other', ''],
  ['observability', 'create', 'other', 'json'],
])('a 404 of %s for %s means no such route with %j, and no such thing with %j', (...row) => {
  const [upstream, name, ...bodies] = row;
  for (const [index, words] of bodies.entries()) {
    for (const body of words.split(' ').filter(Boolean)) {
      const isRoute = isMissingRoute(upstream, operations[name], body as NotFoundBody);
      expect([body, isRoute]).toEqual([body, index === 0]);
    }
  }
});

import { expect, it } from 'vitest';
import { isMissingRoute, type NotFoundBody } from '../../src/upstream/decode.ts';
import type { UpstreamName } from '../../src/upstream/error.ts';
import { management, observability } from '../../src/upstream/interface.ts';
import { beyondReference, del, get, post } from '../../src/upstream/operation.ts';

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
      const isRoute = isMissingRoute(
        { management, observability }[upstream],
        operations[name],
        body as NotFoundBody,
      );
      expect([body, isRoute]).toEqual([body, index === 0]);
    }
  }
});

import { expect, it } from 'vitest';
import { isMissingRoute, type NotFoundBody } from '../../src/upstream/decode.ts';
import type { UpstreamName } from '../../src/upstream/error.ts';
import {
  type AnyOperation,
  beyondReference,
  del,
  get,
  post,
} from '../../src/upstream/operation.ts';

const fresh = { freshSeconds: 1 };
const changing = { changes: [] };
const one = get('/things/{thingId}', fresh).one();
const extended = beyondReference(get('/things/{thingId}', fresh).one());
const remove = del('/things/{thingId}', changing).nothing();
const all = get('/things', fresh).list();
const within = get('/things/{thingId}/parts', fresh).list();
const create = post('/things', changing).body().one();

const route = 'no such route';
const thing = 'no such thing';

it.each<readonly [UpstreamName, string, AnyOperation, NotFoundBody, string]>([
  ['management', 'one', one, 'json', thing],
  ['management', 'one', one, 'html', route],
  ['management', 'one', one, 'other', route],
  ['management', 'one beyond the reference', extended, 'json', thing],
  ['management', 'one beyond the reference', extended, 'other', route],
  ['management', 'a list within a thing', within, 'json', thing],
  ['management', 'a list within a thing', within, 'html', route],
  ['management', 'a list of all', all, 'json', route],
  ['management', 'a list of all', all, 'other', route],
  ['management', 'a creation', create, 'json', thing],
  ['management', 'a creation', create, 'other', route],
  ['observability', 'one', one, 'json', thing],
  ['observability', 'one', one, 'html', route],
  ['observability', 'one', one, 'other', thing],
  ['observability', 'one beyond the reference', extended, 'json', thing],
  ['observability', 'one beyond the reference', extended, 'html', route],
  ['observability', 'one beyond the reference', extended, 'other', route],
  ['observability', 'a deletion', remove, 'other', thing],
  ['observability', 'a deletion', remove, 'html', route],
  ['observability', 'a list of all', all, 'json', route],
  ['observability', 'a list of all', all, 'other', route],
  ['observability', 'a creation', create, 'json', thing],
  ['observability', 'a creation', create, 'other', route],
])('a 404 of %s for %s in %s means %s', (upstream, _, operation, body, meaning) => {
  expect(isMissingRoute(upstream, operation, body) ? route : thing).toBe(meaning);
});

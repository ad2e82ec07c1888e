import { expect, it } from 'vitest';
import type { Call } from '../../src/upstream/call.ts';
import { createClientFactory } from '../../src/upstream/client.ts';
import { observability } from '../../src/upstream/interface.ts';
import { del, get, onlyIn, post, put } from '../../src/upstream/operation.ts';
import type { Profile } from '../../src/upstream/profile.ts';
import { createReader } from '../../src/upstream/reader.ts';
import { answerOf, createTestCaller } from '../support/upstream/calls.ts';

type Thing = { readonly id: string; readonly name?: string };

const table = {
  listThings: get('/things', { freshSeconds: 3 }).list<Thing>(),
  getPart: get('/things/{thingId}/parts/{partId}', { freshSeconds: 3 }).one<Thing>(),
  replaceThing: put('/things/{thingId}', { changes: ['listThings'] })
    .body<{ readonly name: string }>()
    .one<Thing>(),
  deleteThing: onlyIn('other')(
    del('/things/{thingId}', { changes: ['listThings', 'getPart'] }).nothing(),
  ),
  sizeThing: onlyIn('other')(
    post('/things/{thingId}/size', { changes: ['listThings'] })
      .body<{ readonly size?: number }>({
        rule: ({ size }) => (size === undefined ? [{ field: ['size'], message: 'none' }] : []),
      })
      .one<Thing>(),
  ),
};

const other: Profile<typeof table> = {
  name: 'other',
  paths: { listThings: '/items', replaceThing: '/items/{thingId}' },
  read: { listThings: ({ title, ...rest }) => ({ ...rest, name: title }) },
  write: { replaceThing: ({ name, ...rest }) => ({ ...rest, title: name }) },
};

const start = (body: string, profile?: Profile<typeof table>) => {
  const calls: Call[] = [];
  const bind = createClientFactory(table, {
    api: observability,
    profile,
    send: async (call) => {
      calls.push(call);
      return answerOf(body);
    },
    known: { kept: () => undefined, isScarce: () => false },
    reader: createReader({ onUnusableRows: () => undefined, onFailure: () => undefined }),
    extendedReads: true,
    onFailure: () => undefined,
  });
  const lines = () => calls.map(({ row, path, body }) => [row.operation.method, path, body]);
  return { client: bind(createTestCaller()), calls, lines };
};

it('has its paths, its bodies and its records, and keeps members that it does not know', async () => {
  const { client, lines, calls } = start('{"data":[{"id":"one","title":"One","more":1}]}', other);
  expect(await client.listThings()).toEqual([{ id: 'one', name: 'One', more: 1 }]);
  await client.replaceThing({ thingId: 'one' }, { name: 'Two' }).catch(() => undefined);
  expect(lines()).toEqual([
    ['GET', '/items', undefined],
    ['PUT', '/items/one', '{"title":"Two"}'],
  ]);
  // What is told of a call names the path that it has.
  expect(calls[1]?.row.operation.path).toBe('/items/{thingId}');
  expect(calls[1]?.row.changes.map((path) => path.fill({}))).toEqual(['/items']);
});

it('leaves everything as it is where there is none', async () => {
  const { client, lines } = start('{"data":[{"id":"one","title":"One"}]}');
  expect(await client.listThings()).toEqual([{ id: 'one', title: 'One' }]);
  await client.replaceThing({ thingId: 'one' }, { name: 'Two' }).catch(() => undefined);
  expect(lines()).toEqual([
    ['GET', '/things', undefined],
    ['PUT', '/things/one', '{"name":"Two"}'],
  ]);
});

it('has operations that others lack, which are refused there without a call', async () => {
  const without = start('{}');
  await expect(without.client.deleteThing({ thingId: 'one' })).rejects.toMatchObject({
    failure: { reason: 'not-in-profile', detail: 'reference', operation: 'deleteThing' },
  });
  expect(without.calls).toEqual([]);
  const having = start('{}', other);
  await having.client.deleteThing({ thingId: 'one' });
  expect(having.lines()).toEqual([['DELETE', '/things/one', undefined]]);
});

it('refuses what it lacks before it checks the body', async () => {
  const without = start('{}');
  await expect(without.client.sizeThing({ thingId: 'one' }, {})).rejects.toMatchObject({
    failure: { reason: 'not-in-profile' },
  });
  const having = start('{}', other);
  await expect(having.client.sizeThing({ thingId: 'one' }, {})).rejects.toMatchObject({
    failure: { reason: 'invalid-request' },
  });
  expect([...without.calls, ...having.calls]).toEqual([]);
});

it('knows of reads only the changes of the writes that it has', async () => {
  const changedFrom = async (profile?: Profile<typeof table>) => {
    const { client, calls } = start('{"data":{"id":"two"}}', profile);
    await client.getPart({ thingId: 'one', partId: 'two' });
    return calls[0]?.row.changedFrom;
  };
  expect(await changedFrom(other)).toEqual([['thingId']]);
  expect(await changedFrom()).toEqual([]);
});

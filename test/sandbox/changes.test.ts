import { expect, it } from 'vitest';
import { digestOf, ids, paths, startStory, type Value } from './stories.ts';

const { organization, keys, production, trial, pipes, clickpipes, alerts, boards } = paths;
const notFound = { status: 404 };
const stop = { command: 'stop' };
const start = { command: 'start' };
const startLive = () => startStory({ profile: 'live' });

// What the demo does beyond test/operations/table.ts.

interface NewKey {
  readonly keyId: string;
  readonly keySecret: string;
  readonly key: Value & { readonly id: string };
}
const ownerOf = ({ keyId, keySecret }: NewKey): string => `${keyId}:${keySecret}`;

it('a key expires', async () => {
  const { post, patch, wait } = await startStory();
  const expireAt = '2026-11-21T14:00:01+02:00';
  const as = ownerOf(await post<NewKey>(keys, { name: 'x', roles: ['admin'], expireAt }));
  wait(999);
  await patch(organization, {}, { as });
  wait(1);
  await patch(organization, {}, { as, status: 401 });
});

it.each([
  [{}, 200],
  [{ expireAt: '' }, 200],
  [{ state: 'disabled' }, 401],
  [{ roles: ['developer'] }, 403],
  [{ ipAccessList: [{ source: '127.0.0.0/8' }] }, 200],
  [{ ipAccessList: [{ source: '10.0.0.0/8' }] }, 403],
])('a key made with %j changes its organization: %i', async (members, status) => {
  const { post, patch } = await startStory();
  const made = await post<NewKey>(keys, { name: 'x', roles: ['admin'], ...members });
  await patch(organization, {}, { as: ownerOf(made), status });
});

it('a key whose halves the caller made is not shown, and works', async () => {
  const { get, post } = await startStory();
  const hashData = {
    ...{ keyIdHash: digestOf('my-id'), keyIdSuffix: 'y-id' },
    keySecretHash: digestOf('my-secret'),
  };
  const body = { name: 'x', roles: ['admin'], hashData };
  const made = await post(keys, body);
  expect(made).toEqual({ key: expect.objectContaining({ keySuffix: 'y-id' }) });
  await get(organization, { as: 'my-id:my-secret' });
  await post(keys, body, { status: 409 });
});

it('a key of ClickHouse Cloud is changed: it expires, does not, and is switched off', async () => {
  const { get, post, patch, wait } = await startLive();
  const made = await post<NewKey>(keys, { name: 'x', roles: ['admin'] });
  const [path, as] = [`${keys}/${made.key.id}`, ownerOf(made)];
  const change = { name: 'y', expireAt: '2026-11-21T12:00:01Z' };
  const ipAccessList = [{ source: '127.0.0.0/8' }];
  const changed = await patch(path, { ...change, ipAccessList, assignedRoleIds: [ids.adminRole] });
  expect(changed).toMatchObject({
    ...{ ...change, roles: ['admin'] },
    ipAccessList: [{ source: '127.0.0.0/8', description: '' }],
  });
  await get(organization, { as });
  wait(1000);
  await get(organization, { as, status: 401 });
  expect(await patch(path, { expireAt: null })).toEqual({ ...changed, expireAt: '' });
  await get(organization, { as });
  expect(await patch(path, { state: 'disabled' })).toMatchObject({ state: 'disabled', name: 'y' });
  await get(organization, { as, status: 401 });
  await patch(`${keys}/${ids.foreignKey}`, {}, notFound);
});

it('an organization is changed by an admin alone, and seen by its own keys alone', async () => {
  const { get, patch } = await startStory();
  const add = [{ id: 'new', description: 'New' }];
  const remove = [{ id: 'vpce-0a41c7d2e9b85f310' }];
  const developer = { as: 'developer', status: 403 };
  await patch(organization, { privateEndpoints: { add } }, developer);
  const changed = await patch(organization, { privateEndpoints: { add, remove } });
  expect(changed).toMatchObject({ privateEndpoints: [{ id: 'vpce-0f92b6a3c1d74e856' }, ...add] });
  expect(await get(organization)).toEqual(changed);
  for (const path of [organization, `${organization}/services`, production]) {
    await get(path, { as: 'second', status: 404 });
  }
  await get(paths.foreignService, notFound);
  await get(`${pipes}/0${ids.clickstream}`, { status: 400 });
});

it('rule 5: a pipe is not started while it runs or changes', async () => {
  const { patch } = await startStory();
  const path = `${pipes}/${ids.clickstream}/state`;
  const refusal = (state: string): string =>
    `CONFLICT: start is allowed in state Stopped or Failed, the pipe is ${state}`;
  expect(await patch(path, start, { status: 409 })).toBe(refusal('Running'));
  await patch(path, stop);
  expect(await patch(path, start, { status: 409 })).toBe(refusal('Stopping'));
});

it.each([
  ['stop', pipes, ids.clickstream, 'Stopping', 'Stopped'],
  ['start', `${trial}/pipes`, ids.crm, 'Provisioning', 'Running'],
  ['resync', pipes, ids.orders, 'Resync', 'Running'],
])('rule 5: %s of %s/%s goes through %s to %s', async (command, list, id, through, to) => {
  const { get, patch, wait } = await startStory();
  const path = `${list}/${id}`;
  expect(await patch(`${path}/state`, { anyName: command })).toMatchObject({ state: through });
  wait(999);
  expect(await get(path)).toMatchObject({ state: through });
  wait(1);
  expect(await get(path)).toMatchObject({ state: to });
  expect(JSON.stringify(await get(list))).toContain(`"state":"${to}"`);
});

const credentials = { username: 'canary', password: 'canary' };
const accessKey = { accessKeyId: 'canary', secretKey: 'canary' };
it.each<Value>([
  { kafka: { brokers: 'b', credentials, schemaRegistry: { url: 'r', credentials } } },
  { objectStorage: { url: 's', accessKey } },
  { kinesis: { streamName: 's', accessKey } },
  { postgres: { host: 'h', credentials } },
])('rule 6: a pipe comes up with defaults, and forgets its secrets: %j', async (source) => {
  const { get, post, patch, wait } = await startStory();
  const sampled = { ...source, validateSamples: true };
  const body = { name: 'n', destination: { roles: ['canary'] }, source: sampled };
  const made = await post(pipes, body);
  const scaling = { replicas: 1, replicaMemoryGb: 1 };
  expect(made).toMatchObject({ state: 'Provisioning', scaling });
  const changed = await patch(`${pipes}/${made.id}`, { source });
  wait(1000);
  const read = await get(`${pipes}/${made.id}`);
  expect(read.state).toBe('Running');
  const texts = JSON.stringify([made, changed, read]);
  expect(texts).not.toMatch(/canary|credentials|accessKey|validate|roles/);
});

it('rule 7: of a pipe changes what may be changed, and nothing else', async () => {
  const { get, patch } = await startStory();
  interface Postgres extends Value {
    readonly source: { readonly postgres: Value & { readonly tableMappings: readonly Value[] } };
  }
  const path = `${pipes}/${ids.orders}`;
  const before = await get<Postgres>(path);
  const { postgres } = before.source;
  const [dropped, ...left] = postgres.tableMappings;
  const added = { sourceSchemaName: 's', sourceTable: 't', targetTable: 'u' };
  const mappings = { tableMappingsToAdd: [added], tableMappingsToRemove: [dropped] };
  const source = { postgres: { ...mappings, host: 'h' } };
  await patch(path, { name: null, state: 'Failed', scaling: { replicas: 9 }, source });
  expect(await get(path)).toEqual({
    ...{ ...before, updatedAt: '2026-11-21T12:00:00.000Z' },
    source: { postgres: { ...postgres, host: 'h', tableMappings: [...left, added] } },
  });
});

it('a dashboard takes its alerts along, and an update replaces an alert', async () => {
  const { get, put, remove } = await startStory();
  const search = `${alerts}/${ids.search}`;
  await get(search, { as: 'second', status: 404 });
  await remove(`${boards}/${ids.api}`, { as: 'second' });
  expect(await get(alerts)).toHaveLength(10);
  const { savedSearch } = ids;
  const replaced = { name: null, savedSearch, groupBy: 'host' };
  expect(await put(search, { threshold: 1 })).toMatchObject(replaced);
  expect(await get(search)).not.toHaveProperty('interval');
  await remove(`${boards}/${ids.api}`);
  await get(`${boards}/${ids.api}`, notFound);
  expect(await get(alerts)).toHaveLength(7);
});

it('alerts of HyperDX come in pages, and lose what an update leaves out', async () => {
  const { get, put } = await startLive();
  expect(await get(`${alerts}?limit=4&offset=9`)).toHaveLength(3);
  const path = `${alerts}/${ids.slowQueries}`;
  const { updatedAt, ...slow } = await get(path);
  const later = expect.not.stringContaining(String(updatedAt));
  expect(await put(path, { ...slow, updatedAt })).toEqual({ ...slow, updatedAt: later });
  const { name: _, note: __, ...rest } = slow;
  const without = await put(path, { ...rest, updatedAt });
  expect(without).toEqual({ ...slow, name: null, note: null, updatedAt: later });
});

it('a tile of HyperDX loses its alerts with its identifier', async () => {
  const { get, put } = await startLive();
  const path = `${boards}/${ids.api}`;
  const before = await get<Value & { readonly tiles: readonly Value[] }>(path);
  expect(await put(path, before)).toEqual(before);
  const [one, two, ...others] = before.tiles;
  const tiles = [one, { ...two, id: undefined }, ...others];
  const id = expect.not.stringContaining(ids.apiErrors);
  const expected = { tiles: [one, expect.objectContaining({ id }), ...others] };
  expect(await put(path, { name: 'API', tiles })).toMatchObject(expected);
  expect(await get(alerts)).toHaveLength(11);
  await get(`${alerts}/${ids.errorRate}`, notFound);
  await get(`${boards}/${ids.foreignDashboard}`, notFound);
});

it('settings and scaling of a pipe have paths of their own', async () => {
  const { get, patch, put, remove } = await startLive();
  const path = `${clickpipes}/${ids.archive}`;
  const before = await get(`${path}/settings`);
  expect(before).toMatchObject({ clickhouse_max_download_threads: 8 });
  await patch(path, { settings: { clickhouse_max_threads: 9 }, scaling: { replicas: 9 } });
  expect(await get(`${path}/settings`)).toEqual(before);
  const change = { clickhouse_max_insert_threads: 2 };
  await put(`${path}/settings`, change);
  await patch(`${path}/scaling`, { replicas: 6 });
  const pipe = await get(path);
  expect(pipe).toMatchObject({ scaling: { replicas: 6 } });
  expect(pipe.settings).toEqual({ ...before, ...change });
  const events = `${trial}/clickpipes/${ids.events}/settings`;
  await put(events, { clickhouse_max_threads: 2 });
  expect(await get(events)).toEqual({ clickhouse_max_threads: 2 });
  await get(`${clickpipes}/${ids.orders}/settings`, notFound);
  await get(`${pipes}/${ids.orders}`, notFound);
  await remove(path);
  await get(path, notFound);
});

it('services of ClickHouse Cloud stop and start by the clock, and their pipes are a 424 until they run', async () => {
  const { get, post, patch, remove, wait } = await startLive();
  const failed = { status: 424 };
  const command = async (name: string) =>
    (await patch(`${production}/state`, { command: name })).state;
  expect(await command('stop')).toBe('stopping');
  await get(clickpipes, failed);
  await post(clickpipes, {}, failed);
  await remove(`${clickpipes}/${ids.clickstream}`, failed);
  wait(1000);
  expect(await get(production)).toMatchObject({ state: 'stopped', clickhouseVersion: '26.8' });
  await get(clickpipes, failed);
  expect([await command('awake'), await command('start')]).toEqual(['awaking', 'awaking']);
  wait(1000);
  expect(await get(production)).toMatchObject({ state: 'running' });
  await get(clickpipes);
});

it.each([
  [{ type: 'number' }, { displayType: 'number' }],
  [
    { type: 'time', groupBy: ['c', 'd'] },
    { displayType: 'line', groupBy: 'c, d' },
  ],
  [
    { type: 'search', fields: ['a', 'b'] },
    { displayType: 'search', select: 'a, b' },
  ],
])('HyperDX takes a series %j, and answers it as a config %j', async (series, config) => {
  const { post } = await startLive();
  const whole = { sourceId: ids.logs, aggFn: 'count', where: '', ...series };
  const tile = { name: 'Old', x: 0, y: 0, w: 6, h: 3, series: [whole] };
  const made = await post(boards, { name: 'New', tiles: [tile] });
  expect(made).toMatchObject({ tiles: [{ config }] });
  expect(JSON.stringify(made)).not.toContain('"series"');
});

import { expect, it } from 'vitest';
import { ids, paths, startStory, type Value } from './stories.ts';

const { organization, keys, production, trial, pipes, clickpipes, alerts, boards } = paths;
const notFound = { status: 404 };
const startLive = () => startStory({ profile: 'live' });

// What the demo does beyond test/operations/table.ts.

interface NewKey {
  readonly keyId: string;
  readonly keySecret: string;
  readonly key: Value & { readonly id: string };
}
const ownerOf = ({ keyId, keySecret }: NewKey): string => `${keyId}:${keySecret}`;

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

const mapping = { sourceSchemaName: 's', sourceTable: 't', targetTable: 'd' };
const collection = { sourceDatabaseName: 's', sourceCollection: 't', targetTable: 'd' };
const serviceAccount = { serviceAccountFile: 'canary' };
const cdc = { replicationMode: 'cdc', syncIntervalSeconds: 60 };
const mysql = { host: 'h', port: 3306 };
const mongodb = { uri: 'mongodb://canary:canary@h/d', readPreference: 'primary' };
const shownUri = 'mongodb://[REDACTED]:[REDACTED]@h/d';
const faster = { settings: { syncIntervalSeconds: 30 } };
const swap = <Names extends object>(names: Names) => ({
  tableMappingsToAdd: [{ ...names, targetTable: 'e' }],
  tableMappingsToRemove: [names],
});
const swapped = (names: object) => ({
  settings: { ...cdc, syncIntervalSeconds: 30 },
  tableMappings: [{ ...names, targetTable: 'e' }],
});
const pubsub = {
  ...{ projectId: 'p', topic: 't', format: 'Avro', seekType: 'latest' },
  authentication: 'SERVICE_ACCOUNT',
};

it.each<readonly [kind: string, given: Value, change: Value, changed: Value]>([
  [
    'mysql',
    { ...mysql, credentials, settings: cdc, tableMappings: [mapping] },
    { ...mysql, host: 'i', credentials, ...faster, ...swap(mapping) },
    { ...mysql, host: 'i', ...swapped(mapping) },
  ],
  [
    'mongodb',
    { ...mongodb, credentials, settings: cdc, tableMappings: [collection] },
    { ...mongodb, uri: shownUri, credentials, ...faster, ...swap(collection) },
    { ...mongodb, uri: shownUri, ...swapped(collection) },
  ],
  [
    'pubsub',
    { ...pubsub, serviceAccountKey: serviceAccount },
    { authentication: 'SERVICE_ACCOUNT', ackDeadline: 10, serviceAccountKey: serviceAccount },
    { ...pubsub, ackDeadline: 10 },
  ],
])('a %s pipe of ClickHouse Cloud is made and changed, and forgets its secrets', async (...row) => {
  const [kind, given, change, changed] = row;
  const { get, post, patch } = await startLive();
  const made = await post(clickpipes, { name: 'n', destination: {}, source: { [kind]: given } });
  const path = `${clickpipes}/${made.id}`;
  const after = await patch(path, { source: { [kind]: change } });
  const read = await get(path);
  expect(read.source).toEqual({ ...noKinds, [kind]: changed });
  await patch(path, { source: { kinesis: { authentication: 'IAM_ROLE' } } }, { status: 400 });
  expect(JSON.stringify([made, after, read])).not.toMatch(/canary|credentials|serviceAccount/);
});

const noKinds = Object.fromEntries(
  ['kafka', 'objectStorage', 'kinesis', 'postgres', 'mysql', 'bigquery', 'mongodb', 'pubsub'].map(
    (kind) => [kind, null],
  ),
);

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

it('services of ClickHouse Cloud stop and start by the clock, and their pipes are a 424 until they run', async () => {
  const { get, post, patch, remove, wait } = await startLive();
  const failed = { status: 424 };
  const command = async (name: string) =>
    (await patch(`${production}/state`, { command: name })).state;
  expect(await command('stop')).toBe('stopping');
  await remove(production, { status: 400 });
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

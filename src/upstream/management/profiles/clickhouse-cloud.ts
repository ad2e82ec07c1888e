import { isObject } from '../../../is-object.ts';
import type { Members, Profile } from '../../profile.ts';
import type { ManagementOperations } from '../operations.ts';
import { cloudApiKeyRule } from '../rows/api-key.ts';
import { cloudCreatePipeRule, cloudUpdatePipeRule } from '../rows/pipe-change.ts';
import { cloudScalingRule } from '../rows/service-scaling.ts';

const pipes = '/v1/organizations/{organizationId}/services/{serviceId}/clickpipes';

/** The settings whose names contain that of the database engine: the reference's name → ClickHouse Cloud's name. */
const settingNames: Readonly<Record<string, string>> = {
  engine_max_threads: 'clickhouse_max_threads',
  engine_max_insert_threads: 'clickhouse_max_insert_threads',
  engine_min_insert_block_size_bytes: 'clickhouse_min_insert_block_size_bytes',
  engine_max_download_threads: 'clickhouse_max_download_threads',
  engine_parallel_distributed_insert_select: 'clickhouse_parallel_distributed_insert_select',
  engine_parallel_view_processing: 'clickhouse_parallel_view_processing',
};

/**
 * Sources that the reference lacks. The gateway gives them its own names, so that under another profile a source with
 * the service's name counts as unknown.
 */
const sourceNames: Readonly<Record<string, string>> = {
  mysql: 'mySql',
  bigquery: 'bigQuery',
  mongodb: 'mongoDb',
  pubsub: 'pubSub',
};

const reversed = (names: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(names).map(([name, other]) => [other, name]));

const renaming =
  (names: Readonly<Record<string, string>>) =>
  (members: Members): Members =>
    Object.fromEntries(
      Object.entries(members).map(([name, value]) => [names[name] ?? name, value]),
    );

/** Renames the members of one object within a pipe, or within a body. */
const within = (member: string, rename: (inner: Members) => Members) => (pipe: Members) => {
  const inner = pipe[member];
  return isObject(inner) ? { ...pipe, [member]: rename(inner) } : pipe;
};

const readService = renaming({ clickhouseVersion: 'engineVersion' });
const ownSettings = renaming(reversed(settingNames));
const cloudSettings = renaming(settingNames);
const readSettings = within('settings', ownSettings);
const readPubSub = within('pubSub', renaming({ seekTimestamp: 'seekAt' }));
const ownSource = renaming(sourceNames);
const readSource = within('source', (source) => readPubSub(ownSource(source)));
const readPipe = (pipe: Members): Members => readSource(readSettings(pipe));
const writeSettings = within('settings', cloudSettings);

/** Gives the key of a service account its form there, as the member with this name. */
const keyAs =
  (name: string) =>
  ({ serviceAccountKey: key, ...source }: Members): Members => {
    if (key === undefined) return source;
    return { ...source, [name]: key === null ? null : { serviceAccountFile: key } };
  };

const writeBigQuery = within('bigQuery', keyAs('credentials'));
const cloudPubSub = renaming({ seekAt: 'seekTimestamp' });
const writePubSub = within('pubSub', (source) => cloudPubSub(keyAs('serviceAccountKey')(source)));
const cloudSource = renaming(reversed(sourceNames));
const writeSource = within('source', (source) => cloudSource(writeBigQuery(writePubSub(source))));
const writePipe = (pipe: Members): Members => writeSource(writeSettings(pipe));

export const whenNotRunning = 'Use wakeService if it is idle, and startService if it is stopped.';

/** ClickHouse Cloud, as its public API description of August 2026 says. */
export const clickhouseCloud: Profile<ManagementOperations> = {
  name: 'clickhouse-cloud',
  paths: {
    listPipes: pipes,
    createPipe: pipes,
    getPipe: `${pipes}/{pipeId}`,
    updatePipe: `${pipes}/{pipeId}`,
    updatePipeState: `${pipes}/{pipeId}/state`,
  },
  documented: ['listOrganizations', 'getOrganization', 'listServices', 'getPipe'],
  read: {
    listServices: readService,
    getService: readService,
    updateServiceScaling: readService,
    listPipes: readPipe,
    createPipe: readPipe,
    getPipe: readPipe,
    updatePipe: readPipe,
    updatePipeState: readPipe,
    scalePipe: readPipe,
    updateServiceState: readService,
    updateService: readService,
    updateReplicaScaling: readService,
    getPipeSettings: ownSettings,
    replacePipeSettings: ownSettings,
  },
  permissionOf: ({ permission }) => permission,
  whenNotRunning,
  rules: {
    createApiKey: cloudApiKeyRule,
    createPipe: cloudCreatePipeRule,
    updatePipe: cloudUpdatePipeRule,
    updateServiceScaling: cloudScalingRule,
  },
  write: { createPipe: writePipe, updatePipe: writePipe, replacePipeSettings: cloudSettings },
};

import {
  arrival,
  type CommandRules,
  commandPipe,
  currentPipe,
} from '../../management/pipe-state.ts';
import { own, updatedCopy, updatedPipe } from '../../management/pipe-update.ts';
import { checkMappings, freshPipe } from '../../management/pipes.ts';
import {
  type ApiKey,
  findPipe,
  type PipeEntry,
  route,
  type ServiceEntry,
} from '../../management/state.ts';
import { Refusal } from '../../refusal.ts';
import type { Call, Route } from '../../routes.ts';
import { broken, integerBetween, object } from '../../rules.ts';
import { livePrivateEndpoints } from '../world/private-endpoints.ts';
import { settingsOf, withSettings } from './pipe-settings.ts';
import {
  createPipeBody,
  type LivePipe,
  type LivePipeChange,
  type LiveSource,
  type NewLivePipe,
  scaling as scalingBody,
  updatePipeBody,
} from './pipe-shapes.ts';
import { sources } from './source-shapes.ts';
import { type CloudState, findRunningService } from './state.ts';

const kinds = Object.keys(sources);

const noKind = Object.fromEntries(kinds.map((kind) => [kind, null]));

/** CPU and memory as texts, in the notation of Kubernetes. */
const asTexts = ({ scaling }: LivePipe) => {
  const { replicaCpuMillicores: cpu, replicaMemoryGb: memory } = scaling;
  return {
    ...scaling,
    ...(cpu !== undefined && { replicaCpuMillicores: `${cpu}m` }),
    ...(memory !== undefined && { replicaMemoryGb: String(memory * 1024 ** 3) }),
  };
};

/**
 * A pipe as it is answered: each kind of source is a member, and all but one are null. The service has sent CPU and memory
 * in two forms; both occur here: texts if the source is kinesis, numbers otherwise.
 */
const shown = (pipe: LivePipe) => ({
  ...pipe,
  source: { ...noKind, ...pipe.source },
  scaling: pipe.source.kinesis ? asTexts(pipe) : pipe.scaling,
});

/** The rules of creation that the shapes do not express. A source that names its own tables needs no field mappings. */
const checkNewPipe = ({ source, destination, fieldMappings = [] }: NewLivePipe): void => {
  if (Object.keys(source).length !== 1) {
    throw broken('source', `must have exactly one of ${kinds.join(', ')}`);
  }
  const { kafka, kinesis, pubsub, postgres, mysql, bigquery, mongodb } = source;
  if (kafka?.offset?.strategy === 'from_timestamp' && kafka.offset.timestamp === undefined) {
    throw broken('source.kafka.offset.timestamp', 'is required for from_timestamp');
  }
  if (kinesis?.iteratorType === 'AT_TIMESTAMP' && kinesis.timestamp === undefined) {
    throw broken('source.kinesis.timestamp', 'is required for AT_TIMESTAMP');
  }
  if (pubsub && (pubsub.seekType === 'timestamp') !== (pubsub.seekTimestamp !== undefined)) {
    throw broken(
      'source.pubsub.seekTimestamp',
      'is required for timestamp, and must be absent otherwise',
    );
  }
  if (!(postgres ?? mysql ?? bigquery ?? mongodb)) checkMappings(destination, fieldMappings);
};

const createPipe = (
  state: CloudState,
  service: ServiceEntry<LivePipe>,
  body: unknown,
): PipeEntry<LivePipe> => {
  const given = createPipeBody(body, '');
  checkNewPipe(given);
  const { name, source, destination, fieldMappings = [], settings = {}, scaling } = given;
  const entry: PipeEntry<LivePipe> = {
    record: {
      ...freshPipe(state, service.record.id, scaling),
      name,
      source,
      destination,
      fieldMappings,
      settings,
    },
    change: { to: 'Running', at: arrival(state) },
  };
  service.pipes.set(entry.record.id, entry);
  return entry;
};

const updatedSource = (source: LiveSource, change: LivePipeChange['source'] = {}): LiveSource => {
  const { mysql, mongodb, pubsub } = change;
  if (mysql) {
    const names = ['sourceSchemaName', 'sourceTable', 'targetTable'] as const;
    return { mysql: updatedCopy(own(source.mysql, 'mysql'), mysql, names) };
  }
  if (mongodb) {
    const names = ['sourceDatabaseName', 'sourceCollection', 'targetTable'] as const;
    return { mongodb: updatedCopy(own(source.mongodb, 'mongodb'), mongodb, names) };
  }
  return pubsub ? { pubsub: { ...own(source.pubsub, 'pubsub'), ...pubsub } } : source;
};

/** The pipe with the given changes, also to a source of a kind that the documented interfaces lack. */
const updatedLivePipe = (pipe: LivePipe, change: LivePipeChange, updatedAt: string): LivePipe => {
  const { source = {} } = change;
  if (Object.keys(source).length > 1) throw broken('source', 'must have at most one kind');
  const { mysql: _, mongodb: __, pubsub: ___, ...documented } = source;
  const changed = updatedPipe(pipe, { ...change, source: documented }, updatedAt);
  return { ...changed, source: updatedSource(changed.source, source) };
};

/** Pipes that follow a database stop in the state Paused, and can be resynced. */
const followsDatabase = ({ source }: LivePipe): boolean =>
  Boolean(source.postgres ?? source.mysql ?? source.mongodb);

const rules: CommandRules<LivePipe> = {
  startsFrom: ['Stopped', 'Stopping', 'Paused', 'Pausing', 'Failed', 'InternalError', 'Unknown'],
  stopping: (pipe) =>
    followsDatabase(pipe)
      ? { through: 'Pausing', to: 'Paused' }
      : { through: 'Stopping', to: 'Stopped' },
  againstResync: (pipe) =>
    followsDatabase(pipe) ? undefined : 'resync applies only to Postgres, MySQL and MongoDB pipes',
};

const findLivePipe = (
  state: CloudState,
  call: Call<ApiKey, 'organizationId' | 'serviceId' | 'pipeId'>,
): PipeEntry<LivePipe> => {
  findRunningService(state, call);
  return findPipe(state, call);
};

const scale = (entry: PipeEntry<LivePipe>, body: unknown, updatedAt: string): void => {
  const change = scalingBody(body, '');
  if (Object.keys(change).length === 0) {
    throw new Refusal(400, 'the body must have replicas, replicaCpuMillicores or replicaMemoryGb');
  }
  entry.record = { ...entry.record, scaling: { ...entry.record.scaling, ...change }, updatedAt };
};

const cdcBody = object(
  {},
  {
    replicaCpuMillicores: integerBetween(1000, 32_000, 1000),
    replicaMemoryGb: integerBetween(4, 128, 4),
  },
);

/** The scaling that the pipes of a service that copy changes of a database share, as texts. */
const cdcScaling = (state: CloudState, serviceId: string, body: unknown = {}) => {
  const scaling = {
    ...(state.cdcScalings.get(serviceId) ?? { replicaCpuMillicores: 2000, replicaMemoryGb: 8 }),
    ...cdcBody(body, ''),
  };
  state.cdcScalings.set(serviceId, scaling);
  return {
    replicaCpuMillicores: String(scaling.replicaCpuMillicores / 1000),
    replicaMemoryGb: String(scaling.replicaMemoryGb * 1024 ** 3),
  };
};

/** The operations on pipes. */
export const pipeRoutes = (state: CloudState): readonly Route<ApiKey>[] => {
  const current = (entry: PipeEntry<LivePipe>) => shown(currentPipe(entry, state.clock()));
  const now = () => state.clock().toISOString();
  return [
    route('GET', '/v1/organizations/{organizationId}/services/{serviceId}/clickpipes', (call) =>
      [...findRunningService(state, call).pipes.values()].map(current),
    ),

    route('POST', '/v1/organizations/{organizationId}/services/{serviceId}/clickpipes', (call) =>
      current(createPipe(state, findRunningService(state, call), call.body)),
    ),

    route(
      'GET',
      '/v1/organizations/{organizationId}/services/{serviceId}/clickpipes/{pipeId}',
      (call) => current(findLivePipe(state, call)),
    ),

    route(
      'PATCH',
      '/v1/organizations/{organizationId}/services/{serviceId}/clickpipes/{pipeId}',
      (call) => {
        const entry = findLivePipe(state, call);
        entry.record = updatedLivePipe(entry.record, updatePipeBody(call.body, ''), now());
        return current(entry);
      },
    ),

    // The answer has no result.
    route(
      'DELETE',
      '/v1/organizations/{organizationId}/services/{serviceId}/clickpipes/{pipeId}',
      (call) => {
        const { pipes } = findRunningService(state, call);
        pipes.delete(findLivePipe(state, call).record.id);
      },
    ),

    route(
      'PATCH',
      '/v1/organizations/{organizationId}/services/{serviceId}/clickpipes/{pipeId}/state',
      (call) => shown(commandPipe(state, findLivePipe(state, call), call.body, rules)),
    ),

    route(
      'GET',
      '/v1/organizations/{organizationId}/services/{serviceId}/clickpipes/{pipeId}/settings',
      (call) => settingsOf(findLivePipe(state, call).record),
    ),

    route(
      'PUT',
      '/v1/organizations/{organizationId}/services/{serviceId}/clickpipes/{pipeId}/settings',
      (call) => {
        const entry = findLivePipe(state, call);
        entry.record = { ...withSettings(entry.record, call.body), updatedAt: now() };
        return entry.record.settings;
      },
    ),

    route(
      'PATCH',
      '/v1/organizations/{organizationId}/services/{serviceId}/clickpipes/{pipeId}/scaling',
      (call) => {
        const entry = findLivePipe(state, call);
        scale(entry, call.body, now());
        return current(entry);
      },
    ),

    route(
      'GET',
      '/v1/organizations/{organizationId}/services/{serviceId}/clickpipesReversePrivateEndpoints',
      (call) => livePrivateEndpoints[findRunningService(state, call).record.id] ?? [],
    ),

    route(
      'GET',
      '/v1/organizations/{organizationId}/services/{serviceId}/clickpipesCdcScaling',
      (call) => cdcScaling(state, findRunningService(state, call).record.id),
    ),

    route(
      'PATCH',
      '/v1/organizations/{organizationId}/services/{serviceId}/clickpipesCdcScaling',
      (call) => cdcScaling(state, findRunningService(state, call).record.id, call.body),
    ),
  ];
};

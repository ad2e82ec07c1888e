import type { Route } from '../routes.ts';
import { broken } from '../rules.ts';
import { createPipeBody, type NewPipe, updatePipeBody } from './pipe-shapes.ts';
import { arrival, commandPipe, currentPipe, referenceRules } from './pipe-state.ts';
import { updatedPipe } from './pipe-update.ts';
import {
  type ApiKey,
  findAwakeService,
  findPipe,
  type ManagementState,
  type PipeEntry,
  route,
  type ServiceEntry,
} from './state.ts';

const defaultScaling = {
  replicas: 1,
  concurrency: 1,
  replicaCpuMillicores: 250,
  replicaMemoryGb: 1,
};

/** Every destination column needs a field mapping. */
export const checkMappings = (
  destination: NewPipe['destination'],
  fieldMappings: NonNullable<NewPipe['fieldMappings']>,
): void => {
  const mapped = new Set(fieldMappings.map(({ destinationField }) => destinationField));
  if (!(destination.columns ?? []).every(({ name }) => mapped.has(name))) {
    throw broken('fieldMappings', 'must include all destination columns');
  }
};

/** The documented rule 6: one source, and a field mapping for each destination column. */
const checkNewPipe = ({ source, destination, fieldMappings = [] }: NewPipe): void => {
  if (Object.keys(source).length !== 1) {
    throw broken('source', 'must have exactly one of kafka, objectStorage, kinesis, postgres');
  }
  checkMappings(destination, fieldMappings);
};

/** The members of a new pipe that its caller does not give. */
export const freshPipe = (
  { clock, sequence }: Pick<ManagementState, 'clock' | 'sequence'>,
  serviceId: string,
  scaling: NewPipe['scaling'],
) => {
  const now = clock().toISOString();
  return {
    id: sequence.uuid(),
    serviceId,
    state: 'Provisioning',
    scaling: { ...defaultScaling, ...scaling },
    createdAt: now,
    updatedAt: now,
  };
};

const createPipe = (state: ManagementState, service: ServiceEntry, body: unknown): PipeEntry => {
  const given = createPipeBody(body, '');
  checkNewPipe(given);
  const { name, source, destination, fieldMappings = [], settings = {}, scaling } = given;
  const entry: PipeEntry = {
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

/** The documented operations on pipes. */
export const pipeRoutes = (state: ManagementState): readonly Route<ApiKey>[] => [
  route('GET', '/v1/organizations/{organizationId}/services/{serviceId}/pipes', (call) => {
    const now = state.clock();
    return [...findAwakeService(state, call).pipes.values()].map((entry) =>
      currentPipe(entry, now),
    );
  }),

  route('POST', '/v1/organizations/{organizationId}/services/{serviceId}/pipes', (call) =>
    currentPipe(createPipe(state, findAwakeService(state, call), call.body), state.clock()),
  ),

  route(
    'PATCH',
    '/v1/organizations/{organizationId}/services/{serviceId}/pipes/{pipeId}',
    (call) => {
      const entry = findPipe(state, call);
      const now = state.clock();
      entry.record = updatedPipe(entry.record, updatePipeBody(call.body, ''), now.toISOString());
      return currentPipe(entry, now);
    },
  ),

  route(
    'PATCH',
    '/v1/organizations/{organizationId}/services/{serviceId}/pipes/{pipeId}/state',
    (call) => commandPipe(state, findPipe(state, call), call.body, referenceRules),
  ),
];

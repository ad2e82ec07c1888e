import { addresses, shortText } from '../../formats.ts';
import { accessListOf } from '../../management/keys.ts';
import { arrival } from '../../management/pipe-state.ts';
import { findOrganization, findService, type ServiceEntry } from '../../management/state.ts';
import { Refusal } from '../../refusal.ts';
import { flag, integerBetween, object, oneOf, text } from '../../rules.ts';
import { endpointsOn, metering } from '../../world/services.ts';
import type { LivePipe } from './pipe-shapes.ts';
import { scaleReplicas } from './service-update.ts';
import { type CloudState, currentServiceState } from './state.ts';

const memory = integerBetween(8, 356, 4);

const createBody = object(
  { name: shortText(50), provider: oneOf('aws'), region: text },
  {
    ipAccessList: accessListOf(addresses),
    minReplicaMemoryGb: memory,
    maxReplicaMemoryGb: memory,
    numReplicas: integerBetween(1, 20),
    idleScaling: flag,
    idleTimeoutMinutes: integerBetween(5, Number.POSITIVE_INFINITY),
  },
);

/** Creates a service, which starts asynchronously: until then it is provisioned. */
export const createService = (
  state: CloudState,
  call: Parameters<typeof findOrganization>[1] & { readonly body: unknown },
): ServiceEntry<LivePipe> => {
  const { services } = findOrganization(state, call);
  const { provider: _, region, name, ipAccessList = [], ...scaling } = createBody(call.body, '');
  const { sequence, clock } = state;
  const id = sequence.uuid();
  const entry: ServiceEntry<LivePipe> = {
    record: {
      ...metering,
      ...{
        id,
        name,
        ipAccessList,
        iamRole: `arn:aws:iam::000000000000:role/${id}`,
        dataWarehouseId: sequence.uuid(),
      },
      endpoints: endpointsOn(`${id}.${region}.db.sandbox.example`, 'default'),
      createdAt: clock().toISOString(),
    },
    kind: 'production',
    paid: true,
    backup: {
      backupPeriodInHours: 24,
      backupRetentionPeriodInHours: 24,
      backupStartTime: null,
    },
    pipes: new Map(),
  };
  scaleReplicas(state, entry, scaling);
  services.set(id, entry);
  const change = { to: 'running', at: arrival(state) };
  state.serviceStates.set(id, { state: 'provisioning', change });
  return entry;
};

/** Deletes a service, if it is stopped. */
export const deleteService = (state: CloudState, call: Parameters<typeof findService>[1]): void => {
  const { record } = findService(state, call);
  if (currentServiceState(state, record.id) !== 'stopped') {
    throw new Refusal(400, 'only a stopped service can be deleted');
  }
  findOrganization(state, call).services.delete(record.id);
};

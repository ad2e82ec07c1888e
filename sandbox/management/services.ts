import { base64Sha256, hexSha1 } from '../formats.ts';
import type { Route } from '../routes.ts';
import { broken, flag, integerBetween, object, text } from '../rules.ts';
import {
  type ApiKey,
  findService,
  type ManagementState,
  route,
  type ServiceEntry,
} from './state.ts';

const memory = integerBetween(24, 1068, 12);

// A deprecated total memory assumes three replicas, the default of the paid tiers.
export const REPLICAS_OF_A_TOTAL = 3;

const scalingBody = object(
  {},
  {
    minTotalMemoryGb: memory,
    maxTotalMemoryGb: memory,
    numReplicas: integerBetween(1, 20),
    idleScaling: flag,
    idleTimeoutMinutes: integerBetween(5, Number.POSITIVE_INFINITY),
  },
);

/** Scaling update (documented rule 3): checks the body against the service, then applies the changes. */
export const scale = (service: ServiceEntry<unknown>, body: unknown): void => {
  const change = scalingBody(body, '');
  const { minTotalMemoryGb: least, maxTotalMemoryGb: most } = change;
  if (service.kind !== 'production') {
    const at = least === undefined ? 'maxTotalMemoryGb' : 'minTotalMemoryGb';
    if ((least ?? most) !== undefined)
      throw broken(at, 'is available only for production services');
  }
  if (most !== undefined && most > 360 && !service.paid) {
    throw broken('maxTotalMemoryGb', 'must be at most 360 for a non-paid service');
  }
  if (change.numReplicas === 1 && service.record.isPrimary === true) {
    throw broken('numReplicas', 'must be from 2 to 20 for the first service in a warehouse');
  }
  service.record = {
    ...service.record,
    ...change,
    ...(least === undefined ? {} : { minReplicaMemoryGb: least / REPLICAS_OF_A_TOTAL }),
    ...(most === undefined ? {} : { maxReplicaMemoryGb: most / REPLICAS_OF_A_TOTAL }),
  };
};

const passwordBody = object({}, { newPasswordHash: base64Sha256, newDoubleSha1Hash: text });

/**
 * Password update (documented rule 4): the result's members. The result has a generated password, but no given one. A
 * newDoubleSha1Hash without a newPasswordHash is ignored and not validated.
 */
const changePassword = (
  state: ManagementState<unknown>,
  body: unknown,
): { readonly password?: string } => {
  const { newPasswordHash, newDoubleSha1Hash } = passwordBody(body, '');
  if (newPasswordHash === undefined) return { password: state.sequence.word('sandbox-password') };
  if (newDoubleSha1Hash !== undefined) hexSha1(newDoubleSha1Hash, 'newDoubleSha1Hash');
  return {};
};

/** The documented operations on a service, except its pipes. */
export const serviceRoutes = (state: ManagementState<unknown>): readonly Route<ApiKey>[] => [
  route(
    'GET',
    '/v1/organizations/{organizationId}/services/{serviceId}',
    (call) => findService(state, call).record,
  ),

  route('PATCH', '/v1/organizations/{organizationId}/services/{serviceId}/scaling', (call) => {
    const service = findService(state, call);
    scale(service, call.body);
    return service.record;
  }),

  route('PATCH', '/v1/organizations/{organizationId}/services/{serviceId}/password', (call) => {
    findService(state, call);
    return changePassword(state, call.body);
  }),

  route(
    'GET',
    '/v1/organizations/{organizationId}/services/{serviceId}/backupConfiguration',
    (call) => findService(state, call).backup,
  ),
];

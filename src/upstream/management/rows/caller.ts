import { get, type Wire } from '../../operation.ts';
import { inCloud } from '../row-parts.ts';

/** A key has neither `userId`, `email` nor `organizations`; a person neither `keyId` nor `organizationId`. */
export type CallerRecord = Wire<{
  actorType: string;
  name: string;
  keyId: string;
  organizationId: string;
  userId: string;
  email: string;
  organizations: readonly Wire<{ organizationId: string; organizationName: string }>[];
}>;

export const rows = {
  getCaller: inCloud(get('/v1/whoami', { freshSeconds: 30 }).one<CallerRecord>()),
};

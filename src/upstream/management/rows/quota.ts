import { get, type Identified } from '../../operation.ts';
import { inCloud } from '../row-parts.ts';

export type QuotaRecord = Identified<{
  name: string;
  description: string;
  scope: string;
  value: number;
  usage: number;
  adjustable: boolean;
}>;

export const rows = {
  listQuotas: inCloud(
    get('/v1/organizations/{organizationId}/quotas', {
      permission: 'control-plane:organization:view',
      freshSeconds: 30,
    }).listBy<QuotaRecord>('quotaCode'),
  ),
};

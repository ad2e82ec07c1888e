import { get, type Wire } from '../../operation.ts';
import { inCloud } from '../row-parts.ts';

export type UpgradeWindowRecord = Wire<{
  weekday: number;
  startHourUtc: number;
  duration: number;
}>;

export const rows = {
  getUpgradeWindow: inCloud(
    get('/v1/organizations/{organizationId}/services/{serviceId}/upgradeWindow', {
      permission: 'control-plane:service:view',
      freshSeconds: 60,
    }).one<UpgradeWindowRecord>(),
  ),
};

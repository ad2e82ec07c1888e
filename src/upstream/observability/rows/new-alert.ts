import { onlyIn, post } from '../../operation.ts';
import { hyperdxNewAlertRules } from '../hyperdx-rules.ts';
import type { AlertChanges, AlertRecord } from './alert.ts';

export const rows = {
  createAlert: onlyIn('hyperdx')(
    post('/api/v2/alerts', { changes: ['listAlerts'] })
      .body<AlertChanges>({ rule: hyperdxNewAlertRules })
      .one<AlertRecord>(),
  ),
};

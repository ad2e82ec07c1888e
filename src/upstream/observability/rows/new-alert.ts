import { post } from '../../operation.ts';
import { inStack } from '../clickstack.ts';
import { hyperdxNewAlertRules } from '../hyperdx-rules.ts';
import { inHyperdx } from '../row-parts.ts';
import type { AlertChanges, AlertRecord } from './alert.ts';

export const rows = {
  createAlert: inHyperdx(
    post('/api/v2/alerts', { changes: ['listAlerts'] })
      .body<AlertChanges>({ rule: hyperdxNewAlertRules })
      .one<AlertRecord>(inStack('channel', 'channels')),
  ),
};

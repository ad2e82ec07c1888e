import type { Profile } from '../../../profile.ts';
import { hyperdxAlertRule, hyperdxIntervals, hyperdxWholeAlertRule } from '../../hyperdx-rules.ts';
import type { ObservabilityOperations } from '../../operations.ts';
import { readAlert, writeAlert } from './alert.ts';
import { readDashboard, writeDashboard } from './tile.ts';

/** HyperDX's external API, of servers of January and of August 2026. Each record shows which kind of server answered. */
export const hyperdx: Profile<ObservabilityOperations> = {
  name: 'hyperdx',
  documented: ['getDashboard', 'listDashboards'],
  pageSizes: { listAlerts: 1000, listWebhooks: 1000, listSavedSearches: 1000 },
  read: {
    createDashboard: readDashboard,
    replaceDashboard: readDashboard,
    listDashboards: readDashboard,
    getDashboard: readDashboard,
    listAlerts: readAlert,
    getAlert: readAlert,
    createAlert: readAlert,
    replaceAlert: readAlert,
  },
  alertIntervals: hyperdxIntervals,
  alertRule: hyperdxAlertRule,
  rules: { replaceAlert: hyperdxWholeAlertRule },
  write: {
    createAlert: writeAlert,
    replaceAlert: writeAlert,
    replaceDashboard: writeDashboard,
  },
};

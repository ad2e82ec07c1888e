// Written by `npm run generate` from the files of this folder.
import { rows as activity } from './activity.ts';
import { rows as apiKey } from './api-key.ts';
import { rows as backup } from './backup.ts';
import { rows as backupConfiguration } from './backup-configuration.ts';
import { rows as caller } from './caller.ts';
import { rows as cdcScaling } from './cdc-scaling.ts';
import { rows as creditBalance } from './credit-balance.ts';
import { rows as invitation } from './invitation.ts';
import { rows as member } from './member.ts';
import { rows as notification } from './notification.ts';
import { rows as organization } from './organization.ts';
import { rows as pipe } from './pipe.ts';
import { rows as pipeChange } from './pipe-change.ts';
import { rows as pipeSettings } from './pipe-settings.ts';
import { rows as quota } from './quota.ts';
import { rows as reversePrivateEndpoint } from './reverse-private-endpoint.ts';
import { rows as scalingSchedule } from './scaling-schedule.ts';
import { rows as service } from './service.ts';
import { rows as servicePassword } from './service-password.ts';
import { rows as serviceScaling } from './service-scaling.ts';
import { rows as upgradeWindow } from './upgrade-window.ts';
import { rows as usageCost } from './usage-cost.ts';

/** The rows of all subjects: one for each operation. */
export const rows = {
  ...activity,
  ...apiKey,
  ...backup,
  ...backupConfiguration,
  ...caller,
  ...cdcScaling,
  ...creditBalance,
  ...invitation,
  ...member,
  ...notification,
  ...organization,
  ...pipe,
  ...pipeChange,
  ...pipeSettings,
  ...quota,
  ...reversePrivateEndpoint,
  ...scalingSchedule,
  ...service,
  ...servicePassword,
  ...serviceScaling,
  ...upgradeWindow,
  ...usageCost,
};

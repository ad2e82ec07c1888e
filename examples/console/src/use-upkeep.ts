import type { SluiceProblem } from '@sluice/client';
import { useMemo } from 'react';
import {
  ExpiringKeysDocument,
  type ExpiringKeysQuery,
  LastBackupsDocument,
  type LastBackupsQuery,
} from './generated/operations.ts';
import { useSession } from './session.ts';
import { type Follow, type Keep, type Live, useLive } from './use-live.ts';
import { failuresOf } from './use-pipes.ts';

export type ExpiringKey = NonNullable<
  NonNullable<ExpiringKeysQuery['organization']>['apiKeys']
>[number];
export type CriticalNotification = NonNullable<
  NonNullable<ExpiringKeysQuery['organization']>['notifications']
>['items'][number];
export type BackedUp = NonNullable<
  NonNullable<LastBackupsQuery['organization']>['services']
>[number];

/** What changes so seldom that no stream has it. */
interface Upkeep {
  readonly organizationId: string;
  readonly keys: readonly ExpiringKey[] | undefined;
  readonly notifications: readonly CriticalNotification[] | undefined;
  readonly backups: readonly BackedUp[] | undefined;
  /** Whether each part has been read once. */
  readonly isWhole: boolean;
}

/** Backups cost a call for each service. */
const againMs = 600_000;

const pause = (signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, againMs);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });

/** Yields keys and notifications at once, and the backups as they are read: in a large organization the rate limit spreads these reads. */
const follow = (
  organizationId: string | undefined,
  unavailableFields: readonly string[],
): Follow<Upkeep> =>
  async function* (client, options) {
    const hasKeys = !unavailableFields.includes('Organization.apiKeys');
    const hasBackups = !unavailableFields.includes('Service.lastBackup');
    if (organizationId === undefined || !(hasKeys || hasBackups)) return;
    const variables = { organizationId };
    while (!options.signal?.aborted) {
      let keys: readonly ExpiringKey[] | undefined;
      let notifications: readonly CriticalNotification[] | undefined;
      let problems: readonly SluiceProblem[] = [];
      if (hasKeys) {
        for await (const answer of client.untilWhole(ExpiringKeysDocument, variables, options)) {
          keys = answer.data?.organization?.apiKeys ?? undefined;
          notifications = answer.data?.organization?.notifications?.items;
          problems = answer.errors;
          const isWhole = !hasBackups && answer.extensions?.progress === undefined;
          const backups = undefined;
          yield { ...answer, data: { organizationId, keys, notifications, backups, isWhole } };
        }
      }
      if (hasBackups) {
        for await (const answer of client.untilWhole(LastBackupsDocument, variables, options)) {
          const backups = answer.data?.organization?.services ?? undefined;
          const isWhole = answer.extensions?.progress === undefined;
          const errors = [...problems, ...failuresOf('Backups', backups, answer.errors)];
          const data = { organizationId, keys, notifications, backups, isWhole };
          yield { ...answer, data, errors };
        }
      }
      await pause(options.signal);
    }
  };

const keep: Keep<Upkeep> = (before, { data }) => {
  if (!data || before?.organizationId !== data.organizationId) return data ?? before;
  const { isWhole } = before;
  // Once all backups are known, those of the next time replace them together.
  const backups = isWhole && !data.isWhole ? undefined : data.backups;
  return {
    ...data,
    keys: data.keys ?? before.keys,
    notifications: data.notifications ?? before.notifications,
    backups: backups ?? before.backups,
    isWhole: isWhole || data.isWhole,
  };
};

const everything: readonly string[] = ['Organization.apiKeys', 'Service.lastBackup'];

/**
 * The API keys, critical notifications and backups of an organization, as far as the gateway can read them.
 *
 * @param isDue whether they may be read now; what was read before stays
 */
export const useUpkeep = (organizationId: string | undefined, isDue: boolean) => {
  const { gateway } = useSession();
  const unavailable = gateway?.unavailableFields ?? everything;
  const due = isDue ? organizationId : undefined;
  const live: Live<Upkeep> = useLive(
    'management',
    useMemo(() => follow(due, unavailable), [due, unavailable]),
    keep,
  );
  const isExpected = everything.some((field) => !unavailable.includes(field));
  // Until the first answer, those of another organization are shown.
  const data = live.data?.organizationId === organizationId ? live.data : undefined;
  // Later the page reads them again without a word.
  const isUnderWay = live.condition === 'reading' || (live.condition === 'live' && !data?.isWhole);
  return { ...live, data, isReading: isExpected && due !== undefined && isUnderWay };
};

import type { SluiceProblem } from '@sluice/client';
import { useMemo } from 'react';
import {
  ExpiringKeysDocument,
  type ExpiringKeysQuery,
  LastBackupsDocument,
  type LastBackupsQuery,
} from './generated/operations.ts';
import { useSession } from './session.ts';
import { type Follow, type Live, useLive } from './use-live.ts';
import { failuresOf } from './use-pipes.ts';

export type ExpiringKey = NonNullable<
  NonNullable<ExpiringKeysQuery['organization']>['apiKeys']
>[number];
export type BackedUp = NonNullable<
  NonNullable<LastBackupsQuery['organization']>['services']
>[number];

/** What changes so seldom that no stream has it. */
interface Upkeep {
  readonly organizationId: string;
  readonly keys: readonly ExpiringKey[];
  readonly backups: readonly BackedUp[];
  /** Whether each part has been read. */
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

/** Yields the keys at once, and the backups as they are read: in a large organization the rate limit spreads these reads. */
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
      let keys: readonly ExpiringKey[] = [];
      let problems: readonly SluiceProblem[] = [];
      if (hasKeys) {
        for await (const answer of client.untilWhole(ExpiringKeysDocument, variables, options)) {
          keys = answer.data?.organization?.apiKeys ?? [];
          problems = answer.errors;
          const isWhole = !hasBackups && answer.extensions?.progress === undefined;
          yield { ...answer, data: { organizationId, keys, backups: [], isWhole } };
        }
      }
      if (hasBackups) {
        for await (const answer of client.untilWhole(LastBackupsDocument, variables, options)) {
          const backups = answer.data?.organization?.services ?? [];
          const isWhole = answer.extensions?.progress === undefined;
          const errors = [...problems, ...failuresOf('Backups', backups, answer.errors)];
          yield { ...answer, data: { organizationId, keys, backups, isWhole }, errors };
        }
      }
      await pause(options.signal);
    }
  };

const everything: readonly string[] = ['Organization.apiKeys', 'Service.lastBackup'];

/**
 * The API keys and backups of an organization, as far as the gateway can read them.
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
  );
  const isExpected = everything.some((field) => !unavailable.includes(field));
  // Until the first answer, those of another organization are shown.
  const data = live.data?.organizationId === organizationId ? live.data : undefined;
  return { ...live, data, isExpected };
};

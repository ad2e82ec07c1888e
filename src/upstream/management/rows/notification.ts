import { get, type Wire } from '../../operation.ts';
import { inCloud } from '../row-parts.ts';

/** The public description of Cloud names both as filters. It may have further members. */
export type NotificationRecord = Wire<{ type: string; severity: string }>;

/** With one severity or one type, the service applies the filter. It takes no more of each. */
type NotificationsQuery = Wire<{
  severityIn: readonly string[];
  typeIn: readonly string[];
  cursor: string;
  limit: number;
}>;

/** The most that Cloud sends at a time. */
const pageSize = 250;

const onlyOf = (values: readonly string[] | null | undefined): string | undefined =>
  values?.length === 1 ? values[0] : undefined;

/** Whether the service minds upper and lower case is not known. It writes small letters. */
const inSmallLetters = (type: string | undefined): string | undefined =>
  type === type?.toLowerCase() ? type : undefined;

export const rows = {
  listNotifications: inCloud(
    get('/v1/organizations/{organizationId}/notifications', { freshSeconds: 30 })
      .query<NotificationsQuery>({
        names: { severityIn: 'severity', typeIn: 'type', cursor: 'cursor', limit: 'limit' },
        encode: ({ severityIn, typeIn, cursor }) => ({
          limit: pageSize,
          severity: onlyOf(severityIn)?.toLowerCase(),
          type: inSmallLetters(onlyOf(typeIn)),
          cursor,
        }),
      })
      .page<NotificationRecord>(),
  ),
};

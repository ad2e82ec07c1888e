import type {
  NotificationResolvers,
  OrganizationNotificationsArgs,
  OrganizationResolvers,
} from '../generated/schema.ts';
import type { Context } from '../request/context.ts';
import { lackingIn } from '../upstream/error.ts';
import type { NotificationRecord } from '../upstream/management/rows/notification.ts';
import type { OrganizationIds } from './entities.ts';
import { allOf, isOneOfTexts, where } from './filter.ts';
import { checkLength } from './values.ts';

const most = 100;
/** Where few match, the newest are looked through: the key's other reads need its calls, too. */
const mostPages = 8;

/** Reads as few pages as give the wanted number of notifications. */
const newestOf = async (
  organization: OrganizationIds,
  { severityIn, typeIn, first }: Partial<OrganizationNotificationsArgs>,
  { upstream: { management } }: Context,
) => {
  const wanted = severityIn?.length === 0 || typeIn?.length === 0 ? 0 : (first ?? most);
  const matches = allOf<NotificationRecord>(
    where(({ severity }) => severity, severityIn, isOneOfTexts),
    where(({ type }) => type, typeIn, isOneOfTexts),
  );
  const found: NotificationRecord[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (let pages = 0; pages < mostPages && found.length < wanted; pages += 1) {
    const query = { severityIn, typeIn, cursor };
    const page = await management.listNotifications(organization, query);
    for (const item of page.items) if (matches(item)) found.push(item);
    cursor = page.nextCursor;
    if (cursor === undefined) break;
    if (seen.has(cursor)) {
      throw lackingIn('management', 'listNotifications', 'its pages lead back to one before them');
    }
    seen.add(cursor);
  }
  return { items: found.slice(0, wanted), hasMore: cursor !== undefined || found.length > wanted };
};

export const Organization: OrganizationResolvers = {
  notifications: ({ id }, args, context) => {
    checkLength(args.first);
    return newestOf({ organizationId: id }, args, context);
  },
};

export const Notification: NotificationResolvers = {
  json: (notification) => JSON.stringify(notification),
};

import { type ApiKey, findOrganization, route } from '../../management/state.ts';
import { Refusal } from '../../refusal.ts';
import type { Route } from '../../routes.ts';
import type { CloudState } from './state.ts';

/** A page of a list, whose envelope has the cursor of the next page. */
export class CursorPage {
  readonly rows: readonly unknown[];
  readonly envelope: { readonly limit: number; readonly nextCursor: string | null };

  constructor(all: readonly unknown[], limit: number, cursor: string | null) {
    const start = cursor === null ? 0 : Number(Buffer.from(cursor, 'base64url').toString());
    if (!Number.isInteger(start)) throw new Refusal(400, 'cursor is none of this list');
    const end = start + limit;
    this.rows = all.slice(start, end);
    const next = end < all.length ? Buffer.from(String(end)).toString('base64url') : null;
    this.envelope = { limit, nextCursor: next };
  }
}

/** Each key sees what concerns objects that it may see: only an admin sees what concerns the organization as a whole. */
export const notificationRoutes = (state: CloudState): readonly Route<ApiKey>[] => [
  route('GET', '/v1/organizations/{organizationId}/notifications', (call) => {
    const { record } = findOrganization(state, call);
    const { caller, query } = call;
    const [severity, type] = [query.get('severity'), query.get('type')];
    const all = (state.notifications.get(record.id) ?? []).filter(
      (each) =>
        (severity ?? each.severity) === each.severity &&
        (type ?? each.type) === each.type &&
        (each.serviceId !== undefined || caller.roles.includes('admin')),
    );
    const limit = Math.min(Number(query.get('limit') ?? 100), 250);
    return new CursorPage(all, limit, query.get('cursor'));
  }),
];

import type { ObservabilityState } from '../../observability/state.ts';
import { type Call, routeFor } from '../../routes.ts';
import type { LiveDashboard } from '../observability/dashboard-shapes.ts';
import { type Page, pageOf } from '../observability/page.ts';
import type { StackAlert } from './alert-shapes.ts';

/** A record of a list that no other operation looks into: a source, webhook, saved search or role. */
export type Item = { readonly id: string; readonly [member: string]: unknown };

/** A service's observability data. */
export type ClickStack = {
  /** The member with the number of all rows of a list: newer ClickStacks have another. */
  readonly total: 'meta' | 'totalCount';
  readonly team: string;
  readonly dashboards: Map<string, LiveDashboard>;
  readonly alerts: Map<string, StackAlert>;
  readonly sources: Map<string, Item>;
  readonly webhooks: Map<string, Item>;
  readonly savedSearches: Map<string, Item>;
  readonly roles: Map<string, Item>;
};

/** The ClickStacks of all services. */
export type ClickStacks = Pick<ObservabilityState, 'clock' | 'sequence'> & {
  /** By the identifier of the service; other services have none. */
  readonly stacks: ReadonlyMap<string, ClickStack>;
};

/** Makes a route of a ClickStack; its path is the one below the service's `clickstack`. */
export const route = routeFor<ClickStack>();

/** A part of a list, with the members of the envelope that tell the number of all rows. */
export class Listed {
  readonly rows: readonly unknown[];
  readonly envelope: Readonly<Record<string, unknown>>;

  constructor({ rows, meta }: Page, { total }: ClickStack) {
    this.rows = rows;
    this.envelope = total === 'meta' ? { meta } : { totalCount: meta.total };
  }
}

/** The part of a list that the query asks for. */
export const listed = (
  { caller, query }: Pick<Call<ClickStack>, 'caller' | 'query'>,
  rows: readonly unknown[],
): Listed => new Listed(pageOf(rows, query), caller);

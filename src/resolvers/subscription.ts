import type { SubscriptionResolvers } from '../generated/schema.ts';
import type { UpstreamName } from '../upstream/error.ts';
import { Query as alerts } from './alert.ts';
import { Query as dashboards } from './dashboard.ts';
import { Query as organizations } from './organization.ts';
import { Query as pipes } from './pipe.ts';
import { Query as services } from './service.ts';

/** Never called: `src/live/` executes the whole operation for each event. */
const subscribe = (): never => {
  throw new TypeError('Each event is executed by itself');
};

/** A field that is resolved for each event, as its `Query` field is. */
const live = <Resolve>(resolve: Resolve) => ({ subscribe, resolve });

export const Subscription: Required<SubscriptionResolvers> = {
  organization: live(organizations.organization),
  service: live(services.service),
  pipe: live(pipes.pipe),
  pipes: live(pipes.pipes),
  dashboard: live(dashboards.dashboard),
  alerts: live(alerts.alerts),
  alert: live(alerts.alert),
};

/** The upstream that a field and all its subfields read. */
export const upstreamOf: Readonly<Record<keyof typeof Subscription, UpstreamName>> = {
  organization: 'management',
  service: 'management',
  pipe: 'management',
  pipes: 'management',
  dashboard: 'observability',
  alerts: 'observability',
  alert: 'observability',
};

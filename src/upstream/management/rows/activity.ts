import type { Problem } from '../../error.ts';
import { get, type Identified } from '../../operation.ts';
import { inCloud } from '../row-parts.ts';

export type ActivityRecord = Identified<{
  createdAt: string;
  type: string;
  actorType: string;
  actorId: string;
  actorDetails: string;
  actorIpAddress: string;
  serviceId: string;
  userAgent: string;
  targetKeyId: string;
  keyUpdateType: string;
}>;

/** Two times; without one of them there is no limit on that side. */
type ActivitiesQuery = {
  readonly from?: string | null | undefined;
  readonly to?: string | null | undefined;
};

/** Whether the text is one moment, for every reader. */
const isMoment = (text: string): boolean => /Z$/.test(text) && !Number.isNaN(Date.parse(text));

/** Of ClickHouse Cloud: two times in their order. */
const activitiesRule = (query: ActivitiesQuery): Problem[] => {
  const problems = (['from', 'to'] as const).flatMap((name) => {
    const text = query[name] ?? undefined;
    if (text === undefined || isMoment(text)) return [];
    const message = `${name} must be a time with its zone, for example 2026-11-01T00:00:00Z, got ${JSON.stringify(text.slice(0, 64))}.`;
    return [{ field: [name], message }];
  });
  if (problems.length > 0) return problems;
  return query.from && query.to && Date.parse(query.to) < Date.parse(query.from)
    ? [{ field: ['to'], message: 'to must not be before from.' }]
    : [];
};

export const rows = {
  listActivities: inCloud(
    get('/v1/organizations/{organizationId}/activities', { freshSeconds: 30 })
      .query<ActivitiesQuery>({ rule: activitiesRule, names: { from: 'from_date', to: 'to_date' } })
      .list<ActivityRecord>(),
  ),
};

import type { Problem } from '../../error.ts';
import { get, type Identified, type WithIds } from '../../operation.ts';
import { inCloud, inOrganization } from '../row-parts.ts';

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

export type ActivityWithIds = WithIds<ActivityRecord, 'organizationId'>;

/** Either end of the period may be omitted. */
type ActivitiesQuery = {
  readonly from?: string | null | undefined;
  readonly to?: string | null | undefined;
};

/** Whether the text is a time in UTC, which no reader can understand as another moment. */
const isMoment = (text: string): boolean => /Z$/.test(text) && !Number.isNaN(Date.parse(text));

/** The rule of ClickHouse Cloud: two times, the earlier first. */
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
    get('/v1/organizations/{organizationId}/activities', {
      permission: 'control-plane:organization:view-activities',
      freshSeconds: 30,
    })
      .query<ActivitiesQuery>({ rule: activitiesRule, names: { from: 'from_date', to: 'to_date' } })
      .list<ActivityWithIds>(inOrganization),
  ),
};

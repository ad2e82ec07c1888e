import { type ApiKey, findOrganization, findService, route } from '../../management/state.ts';
import { Refusal } from '../../refusal.ts';
import type { Route } from '../../routes.ts';
import { costsOf } from '../world/costs.ts';
import type { CloudState } from './state.ts';

const dayMs = 86_400_000;

/** A time of the query, in milliseconds. */
const timeIn = (query: URLSearchParams, name: string, pattern: RegExp): number => {
  const text = query.get(name) ?? '';
  const time = pattern.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) throw new Refusal(400, `${name} is missing, or has another form`);
  return time;
};

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** The days from the one to the other, without those to come. */
const daysIn = (query: URLSearchParams, today: string): readonly string[] => {
  const [from, to] = ['from_date', 'to_date'].map((name) =>
    timeIn(query, name, /^\d{4}-\d\d-\d\d$/),
  ) as [number, number];
  if (to < from || to - from > 31 * dayMs) {
    throw new Refusal(400, 'to_date must be at most 31 days after from_date');
  }
  return Array.from({ length: (to - from) / dayMs + 1 }, (_, day) =>
    dayOf(from + day * dayMs),
  ).filter((day) => day <= today);
};

const isoTime = /^\d{4}-\d\d-\d\dT/;

/** The operations that report costs, activities and backups. */
export const reportRoutes = (state: CloudState): readonly Route<ApiKey>[] => [
  route('GET', '/v1/organizations/{organizationId}/usageCost', (call) => {
    const { record } = findOrganization(state, call);
    const today = dayOf(state.clock().getTime());
    const entities = state.withCosts.get(record.id) ?? [];
    const costs = costsOf(entities, daysIn(call.query, today), today);
    const grandTotalCHC = costs.reduce((sum, { totalCHC }) => sum + (totalCHC ?? 0), 0);
    return { grandTotalCHC: Math.round(grandTotalCHC * 10_000) / 10_000, costs };
  }),

  route('GET', '/v1/organizations/{organizationId}/activities', (call) => {
    const { record } = findOrganization(state, call);
    const { query } = call;
    const from = query.has('from_date') ? timeIn(query, 'from_date', isoTime) : -Infinity;
    const to = query.has('to_date') ? timeIn(query, 'to_date', isoTime) : Infinity;
    return (state.activities.get(record.id) ?? [])
      .filter(({ createdAt }) => Date.parse(createdAt) >= from && Date.parse(createdAt) <= to)
      .map((activity) => ({ ...activity, organizationId: record.id }));
  }),

  route('GET', '/v1/organizations/{organizationId}/services/{serviceId}/backups', (call) => {
    const { record } = findService(state, call);
    return (state.backups.get(record.id) ?? []).map((backup) => ({
      ...backup,
      serviceId: record.id,
    }));
  }),
];

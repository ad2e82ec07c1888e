/** An operation with what it must cost. Identifiers are written as `withIds` reads them. */
export interface OperationCase {
  readonly title: string;
  readonly operation: string;
  /** The profile of management that it runs with; the reference's where left out. */
  readonly profile?: 'clickhouse-cloud';
  readonly variables?: Readonly<Record<string, unknown>>;
  /** Every upstream call, `METHOD /path`, in any order; equal ones as often as they are made. */
  readonly calls: readonly string[];
  readonly rounds: number;
  /** One sentence: why neither fewer calls nor fewer rounds can do. */
  readonly bound: string;
  /** Path and code of each error; none where left out. */
  readonly errors?: readonly (readonly [path: string, code: string])[];
}

export interface OperationGroup {
  readonly title: string;
  readonly cases: readonly OperationCase[];
}

/** What the operations run against: see `worldOf`. */
export const sizes = {
  organizations: 2,
  services: 10,
  pipesPerService: 2,
  dashboards: 10,
  tilesPerDashboard: 2,
  alerts: 100,
} as const;

/** How many calls one credential may make to each upstream in a window of so many seconds. */
export const limits = [
  { upstream: 'management', root: '/v1/', calls: 10, seconds: 10 },
  { upstream: 'observability', root: '/api/', calls: 100, seconds: 60 },
] as const;

export const organization = '/v1/organizations/organization-1';
export const service = (number: number): string => `${organization}/services/service-${number}`;

/** An identifier of the management interface. */
export const uuid = (kind: string, number: number): string =>
  `${kind}-0000-4000-8000-${String(number).padStart(12, '0')}`;

const objectId = (kind: string, number: number): string =>
  `${kind}${String(number).padStart(24 - kind.length, '0')}`;

const main = {
  organizationId: uuid('0a9a0000', 1),
  services: {
    /** Production kind, paid, first in its warehouse. */
    production: uuid('5e4c0000', 1),
    /** A read-only service in production's warehouse: may have one replica; has no pipes. */
    reporting: uuid('5e4c0000', 2),
    /** Development kind: no memory settings. In no warehouse. */
    staging: uuid('5e4c0000', 3),
    /** Production kind, not paid: at most 360 GB. First in its warehouse. */
    trial: uuid('5e4c0000', 4),
  },
  pipes: {
    /** production, kafka, Running */
    clickstream: uuid('919e0000', 1),
    /** production, postgres, Snapshot */
    orders: uuid('919e0000', 2),
    /** production, objectStorage (S3), Completed */
    archive: uuid('919e0000', 3),
    /** production, kinesis, Running */
    telemetry: uuid('919e0000', 4),
    /** staging, kafka, Failed */
    stagingClickstream: uuid('919e0000', 5),
    /** staging, objectStorage (Azure), Paused */
    invoices: uuid('919e0000', 6),
    /** trial, postgres, Stopped */
    crm: uuid('919e0000', 7),
  },
  invitations: [uuid('19f10000', 1), uuid('19f10000', 2)],
  keys: {
    admin: uuid('4e1f0000', 1),
    developer: uuid('4e1f0000', 2),
    queryEndpoints: uuid('4e1f0000', 3),
  },
} as const;

const second = {
  organizationId: uuid('0a9a0000', 2),
  services: { production: uuid('5e4c0000', 11) },
  pipes: { readings: uuid('919e0000', 11) },
  keys: { admin: uuid('4e1f0000', 11) },
} as const;

const mainTeam = {
  teamId: objectId('7ea3', 1),
  dashboards: {
    api: objectId('da5b', 1),
    ingestion: objectId('da5b', 2),
    checkout: objectId('da5b', 3),
    /** Deleted: only the alert `dangling` still has its identifier. */
    gone: objectId('da5b', 99),
  },
  tiles: {
    apiRequests: 'api-requests',
    apiErrors: 'api-errors',
    apiLatency: 'api-latency',
    apiSlowest: 'api-slowest',
    ingestionRows: 'ingestion-rows',
    ingestionLag: 'ingestion-lag',
    ingestionFailures: 'ingestion-failures',
    checkoutOrders: 'checkout-orders',
    checkoutFailures: 'checkout-failures',
    checkoutDuration: 'checkout-duration',
    checkoutRevenue: 'checkout-revenue',
    checkoutNotes: 'checkout-notes',
  },
  alerts: {
    errorRate: objectId('a1e4', 1),
    latency: objectId('a1e4', 2),
    traffic: objectId('a1e4', 3),
    lag: objectId('a1e4', 4),
    failures: objectId('a1e4', 5),
    rows: objectId('a1e4', 6),
    checkoutFailures: objectId('a1e4', 7),
    /** Its name and message are null. */
    unnamed: objectId('a1e4', 8),
    /** On a saved search instead of a tile. */
    search: objectId('a1e4', 9),
    /** On a tile of a deleted dashboard. */
    dangling: objectId('a1e4', 10),
  },
  savedSearchId: objectId('5ea4', 1),
  webhooks: { oncall: objectId('3eb0', 1), channel: objectId('3eb0', 2) },
} as const;

const secondTeam = {
  teamId: objectId('7ea3', 2),
  dashboards: { meters: objectId('da5b', 11) },
  tiles: { metersReadings: 'meters-readings', metersSilent: 'meters-silent' },
  alerts: { silent: objectId('a1e4', 11) },
  webhooks: { oncall: objectId('3eb0', 11) },
} as const;

/** The identifiers of the initial objects: the same in every sandbox. */
export const world = {
  management: { main, second },
  observability: { main: mainTeam, second: secondTeam },
} as const;

/** The type of `world`. */
export type World = typeof world;

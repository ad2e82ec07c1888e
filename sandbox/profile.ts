/**
 * The dialects of the sandbox: the documented interfaces, ClickHouse Cloud and HyperDX as of August 2026, and ClickHouse
 * Cloud with HyperDX 2.13.
 */
export const sandboxProfiles = ['reference', 'live', 'live-2.13'] as const;

/** One of `sandboxProfiles`. */
export type SandboxProfile = (typeof sandboxProfiles)[number];

const live = { MANAGEMENT_PROFILE: 'clickhouse-cloud', OBSERVABILITY_PROFILE: 'hyperdx' } as const;

/** The settings with which a gateway speaks a dialect. */
export const gatewayProfiles = {
  reference: { MANAGEMENT_PROFILE: 'reference', OBSERVABILITY_PROFILE: 'reference' },
  live,
  'live-2.13': live,
} as const satisfies Readonly<Record<SandboxProfile, object>>;

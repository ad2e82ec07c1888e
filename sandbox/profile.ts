import { world } from './world/ids.ts';

/**
 * The dialects of the sandbox: the documented interfaces, ClickHouse Cloud and HyperDX as of August 2026, ClickHouse Cloud
 * with HyperDX 2.13, and ClickHouse Cloud with ClickStack below its services.
 */
export const sandboxProfiles = ['reference', 'live', 'live-2.13', 'clickstack-cloud'] as const;

/** One of `sandboxProfiles`. */
export type SandboxProfile = (typeof sandboxProfiles)[number];

const live = { MANAGEMENT_PROFILE: 'clickhouse-cloud', OBSERVABILITY_PROFILE: 'hyperdx' } as const;

const { organizationId, services } = world.management.main;

/** The settings with which a gateway speaks a dialect. */
export const gatewayProfiles = {
  reference: { MANAGEMENT_PROFILE: 'reference', OBSERVABILITY_PROFILE: 'reference' },
  live,
  'live-2.13': live,
  'clickstack-cloud': {
    MANAGEMENT_PROFILE: 'clickhouse-cloud',
    OBSERVABILITY_PROFILE: 'clickstack-cloud',
    // ClickStack has no address of its own.
    OBSERVABILITY_URL: undefined,
    CLICKSTACK_SERVICE: `${organizationId}/${services.production}`,
  },
} as const satisfies Readonly<Record<SandboxProfile, object>>;

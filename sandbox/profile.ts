/**
 * The dialects that the sandbox speaks: the reference's, that of ClickHouse Cloud and HyperDX as they are today, and the
 * latter with HyperDX 2.13.
 */
export const sandboxProfiles = ['reference', 'live', 'live-2.13'] as const;

/** One of `sandboxProfiles`. */
export type SandboxProfile = (typeof sandboxProfiles)[number];

const managementKey = (keyId: string, keySecret: string) => ({
  keyId,
  keySecret,
  /** The value of the header Authorization. */
  header: `Basic ${Buffer.from(`${keyId}:${keySecret}`).toString('base64')}`,
});

const observabilityToken = (token: string) => ({ token, header: `Bearer ${token}` });

/** The credentials that work from the start. Everybody may know them: they open nothing but a sandbox. */
export const credentials = {
  management: {
    /** Main organization, role admin. */
    admin: managementKey('demo-admin-key', 'demo-admin-secret'),
    /** Main organization, role developer. */
    developer: managementKey('demo-developer-key', 'demo-developer-secret'),
    /** Main organization, role query_endpoints. */
    queryEndpoints: managementKey('demo-query-key', 'demo-query-secret'),
    /** Second organization, role admin. */
    second: managementKey('demo-second-key', 'demo-second-secret'),
  },
  observability: {
    /** The team with three dashboards. */
    main: observabilityToken('demo-main-token'),
    /** The team with one dashboard. */
    second: observabilityToken('demo-second-token'),
  },
} as const;

/** The type of `credentials`. */
export type Credentials = typeof credentials;

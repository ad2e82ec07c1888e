/** A key with its Authorization header. */
export const managementKey = (keyId: string, keySecret: string) => ({
  keyId,
  keySecret,
  /** The value of the header Authorization. */
  header: `Basic ${Buffer.from(`${keyId}:${keySecret}`).toString('base64')}`,
});

// Key id, secret and token are the same word, which is easy to type.
const failingKey = (name: string) => managementKey(name, name);

const observabilityToken = (token: string) => ({ token, header: `Bearer ${token}` });

/** The initial credentials. They may be public, since they only work with a sandbox. */
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
  /** Like `admin` of the main organization and `main`, but each fails in its own way (`faults.ts`). */
  failing: {
    management: {
      tooManyRequests: failingKey('demo-429'),
      serverError: failingKey('demo-500'),
      unavailable: failingKey('demo-503'),
      proxyTimeout: failingKey('demo-524'),
      slow: failingKey('demo-slow'),
      html: failingKey('demo-html'),
      cut: failingKey('demo-cut'),
    },
    observability: {
      tooManyRequests: observabilityToken('demo-429'),
      serverError: observabilityToken('demo-500'),
      unavailable: observabilityToken('demo-503'),
      proxyTimeout: observabilityToken('demo-524'),
      slow: observabilityToken('demo-slow'),
      html: observabilityToken('demo-html'),
      cut: observabilityToken('demo-cut'),
    },
  },
} as const;

/** The type of `credentials`. */
export type Credentials = typeof credentials;

const uuid = (kind: string, number: number): string =>
  `${kind}-0000-4000-8000-${String(number).padStart(12, '0')}`;

const objectId = (kind: string, number: number): string =>
  `${kind}${String(number).padStart(24 - kind.length, '0')}`;

/** The identifiers of objects that only the live services have. */
export const liveWorld = {
  services: {
    /** In the second organization: it sleeps. */
    archive: uuid('5e4c0000', 21),
  },
  pipes: {
    /** production, mysql, Running */
    shop: uuid('919e0000', 21),
    /** production, bigquery, Completed: copied once */
    warehouse: uuid('919e0000', 22),
    /** staging, mongodb, Degraded */
    profiles: uuid('919e0000', 23),
    /** trial, pubsub, Paused */
    events: uuid('919e0000', 24),
  },
  keys: {
    /** Of the main organization: expires in five days. */
    soon: uuid('4e1f0000', 31),
    /** Never used. */
    never: uuid('4e1f0000', 32),
    disabled: uuid('4e1f0000', 33),
    expired: uuid('4e1f0000', 34),
  },
  /** People of the main organization. */
  members: { mira: uuid('a5e40000', 1), jonas: uuid('a5e40000', 2) },
  roles: { admin: uuid('401e0000', 1), developer: uuid('401e0000', 2) },
  sources: { logs: objectId('50c0', 1), metrics: objectId('50c0', 2), traces: objectId('50c0', 3) },
  secondSources: { metrics: objectId('50c0', 11) },
  connections: { main: objectId('c0ec', 1), second: objectId('c0ec', 11) },
  alerts: {
    /** On a saved search, for values between two thresholds, with every member set. */
    slowQueries: objectId('a1e4', 21),
    /** On a tile that answers of HyperDX 2.30 and newer omit; its silence has ended. */
    saturation: objectId('a1e4', 22),
  },
  /** Made in the editor: answers omit one of its tiles, and members of another. */
  dashboards: { capacity: objectId('da5b', 21) },
  tiles: {
    load: 'capacity-load',
    notes: 'capacity-notes',
    saturation: 'capacity-saturation',
  },
  /** Answers of HyperDX 2.30 and newer omit it. */
  webhooks: { hidden: objectId('3eb0', 21) },
} as const;

/** The identifiers of objects that only ClickStack in ClickHouse Cloud has. */
export const clickstackWorld = {
  alerts: {
    /** Its channel is an e-mail. */
    emailed: objectId('a1e4', 31),
    /** On a chart of its own. */
    inline: objectId('a1e4', 32),
  },
  webhooks: { pager: objectId('3eb0', 31) },
  savedSearches: { staging: objectId('5ea4', 31) },
  roles: {
    editor: objectId('401e', 31),
    viewer: objectId('401e', 32),
    staging: objectId('401e', 33),
  },
} as const;

/** The wire strings of each input enum, by the enum's value. `npm run generate:types` reads them too. */

export const AlertSourceInput = { TILE: 'tile', SEARCH: 'search' } as const;

export const AlertThresholdTypeInput = {
  ABOVE: 'above',
  BELOW: 'below',
  ABOVE_EXCLUSIVE: 'above_exclusive',
  BELOW_OR_EQUAL: 'below_or_equal',
  EQUAL: 'equal',
  NOT_EQUAL: 'not_equal',
  BETWEEN: 'between',
  NOT_BETWEEN: 'not_between',
} as const;

export const ApiKeyRoleInput = {
  ADMIN: 'admin',
  DEVELOPER: 'developer',
  QUERY_ENDPOINTS: 'query_endpoints',
} as const;

export const ApiKeyStateInput = { ENABLED: 'enabled', DISABLED: 'disabled' } as const;

export const PipeSourceKind = {
  KAFKA: 'kafka',
  OBJECT_STORAGE: 'objectStorage',
  KINESIS: 'kinesis',
  POSTGRES: 'postgres',
  MYSQL: 'mySql',
  BIGQUERY: 'bigQuery',
  MONGODB: 'mongoDb',
  PUBSUB: 'pubSub',
} as const;

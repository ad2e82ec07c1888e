/** The wire strings of each input enum, by the enum's value. */
export const inputEnums = {
  AlertSourceInput: { TILE: 'tile', SEARCH: 'search' },
  AlertThresholdTypeInput: { ABOVE: 'above', BELOW: 'below' },
  ApiKeyRoleInput: { ADMIN: 'admin', DEVELOPER: 'developer', QUERY_ENDPOINTS: 'query_endpoints' },
  ApiKeyStateInput: { ENABLED: 'enabled', DISABLED: 'disabled' },
  PipeSourceKind: {
    KAFKA: 'kafka',
    OBJECT_STORAGE: 'objectStorage',
    KINESIS: 'kinesis',
    POSTGRES: 'postgres',
  },
} as const;

/**
 * Makes the reader of an output enum: wire string → value, UNKNOWN for what the document does not
 * know, null for what is not there.
 */
export const enumReader = <Value extends string>(wireStrings: Readonly<Record<Value, string>>) => {
  const values = new Map(
    (Object.entries(wireStrings) as [Value, string][]).map(([value, wire]) => [wire, value]),
  );
  return (wire: string | null | undefined): Value | 'UNKNOWN' | null =>
    wire === null || wire === undefined ? null : (values.get(wire) ?? 'UNKNOWN');
};

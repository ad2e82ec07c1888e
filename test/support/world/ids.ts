const kinds = {
  organization: '0a9a0000',
  service: '5e4c0000',
  pipe: '919e0000',
  invitation: '19f10000',
} as const;
const prefixes = new Map<string, string>(
  Object.entries(kinds).map(([kind, prefix]) => [prefix, kind]),
);

/**
 * Replaces names by identifiers: `service-3` and similar names by UUIDs, and `"Service:organization-1:service-3"` by a
 * nodeId. `@service-3` becomes the arguments for this service of organization-1, and `@organization-2` the argument for an
 * organization. Names of the observability interface, such as `alert-3`, remain, since its identifiers may be any short
 * text.
 */
export const withIds = (text: string): string =>
  text
    .replaceAll(/@service-(\d+)\b/g, 'organizationId: "organization-1", serviceId: "service-$1"')
    .replaceAll(/@(organization-\d+)\b/g, 'organizationId: "$1"')
    .replaceAll(
      /\b(organization|service|pipe|invitation)-(\d+)\b/g,
      (_, kind: keyof typeof kinds, number: string) =>
        `${kinds[kind]}-0000-4000-8000-${number.padStart(12, '0')}`,
    )
    .replaceAll(
      /"((?:Organization|ApiKey|Service|Pipe|Dashboard|Tile|Alert|DataSource|Webhook|SavedSearch)(?::[\w%.-]+)+)"/g,
      (_, path: string) => `"${Buffer.from(path).toString('base64url')}"`,
    );

/** The reverse, for reading results: replaces UUIDs by names such as `service-3`. */
export const withNames = (text: string): string =>
  text.replaceAll(/\b([0-9a-f]{8})-0000-4000-8000-(\d{12})\b/g, (uuid, prefix: string, number) =>
    prefixes.has(prefix) ? `${prefixes.get(prefix)}-${Number(number)}` : uuid,
  );

/**
 * A call with names and without its common prefix: `services/service-3` is the read of a service of organization-1, `alerts`
 * the list of alerts. Begins with the method if that is not GET.
 */
export const shortCall = ({ method, path }: { readonly method: string; readonly path: string }) => {
  const prefix = /^\/(?:v1\/organizations\/organization-1\/|v1\/|api\/v2\/)/;
  const short = withNames(path).replace(prefix, '');
  return method === 'GET' ? short : `${method} ${short}`;
};

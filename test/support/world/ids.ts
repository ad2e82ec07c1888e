const kinds = {
  organization: '0a9a0000',
  service: '5e4c0000',
  pipe: '919e0000',
  invitation: '19f10000',
} as const;

const names = /\b(organization|service|pipe|invitation)-(\d+)\b/g;
/** `@service-3` and `@organization-2`, as arguments. */
const namedArguments = /@(organization|service)-(\d+)\b/g;
const nodeIds = /"((?:Organization|Service|Pipe|Dashboard|Alert)(?::[\w-]+)+)"/g;

/**
 * A text in which `service-3` and its like stand for UUIDs and `"Service:organization-1:service-3"`
 * for a nodeId → the same text with the real identifiers. `@service-3` stands for the arguments that name this service
 * of organization-1, and `@organization-2` for those of an organization. Those of the observability interface may be
 * any short text, so `alert-3` is one as it stands.
 */
export const withIds = (text: string): string =>
  text
    .replaceAll(namedArguments, (_, kind: string, number: string) =>
      kind === 'service'
        ? `organizationId: "organization-1", serviceId: "service-${number}"`
        : `organizationId: "organization-${number}"`,
    )
    .replaceAll(
      names,
      (_, kind: keyof typeof kinds, number: string) =>
        `${kinds[kind]}-0000-4000-8000-${number.padStart(12, '0')}`,
    )
    .replaceAll(nodeIds, (_, path: string) => `"${Buffer.from(path).toString('base64url')}"`);

const prefixes = new Map<string, string>(
  Object.entries(kinds).map(([kind, prefix]) => [prefix, kind]),
);

/** The way back, for what is read rather than sent: UUIDs become `service-3` and its like again. */
export const withNames = (text: string): string =>
  text.replaceAll(/\b([0-9a-f]{8})-0000-4000-8000-(\d{12})\b/g, (uuid, prefix: string, number) =>
    prefixes.has(prefix) ? `${prefixes.get(prefix)}-${Number(number)}` : uuid,
  );

/**
 * A call with names and without what is the same for all: `services/service-3` for the read of a service of
 * organization-1, `alerts` for the list of alerts. The method stands before it where that is not GET.
 */
export const shortCall = ({
  method,
  path,
}: {
  readonly method: string;
  readonly path: string;
}): string => {
  const short = withNames(path).replace(
    /^\/(?:v1\/organizations\/organization-1\/|v1\/|api\/v2\/)/,
    '',
  );
  return method === 'GET' ? short : `${method} ${short}`;
};

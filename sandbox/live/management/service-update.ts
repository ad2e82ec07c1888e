import { addresses, fullHour, shortText } from '../../formats.ts';
import { accessListOf } from '../../management/keys.ts';
import type { Service } from '../../management/records.ts';
import { REPLICAS_OF_A_TOTAL } from '../../management/services.ts';
import type { ServiceEntry, Tag } from '../../management/state.ts';
import { broken, flag, integerBetween, list, object, oneOf, text } from '../../rules.ts';
import type { CloudState, ServiceExtras } from './state.ts';

/** The tags that a service has before any change. */
export const tagsOf = ({ tags, paid, kind }: ServiceEntry<unknown>): readonly Tag[] =>
  tags ?? [
    { key: 'owner', value: paid ? 'data-platform' : 'sales' },
    { key: 'environment', value: kind },
  ];

const setExtras = (state: CloudState, id: string, extras: ServiceExtras): void => {
  state.serviceExtras.set(id, { ...state.serviceExtras.get(id), ...extras });
};

/** The list after a change: an item that is added replaces the one with the same name. */
const changed = <Item>(
  items: readonly Item[],
  nameOf: (item: Item) => string,
  { add = [], remove = [] }: { readonly add?: readonly Item[]; readonly remove?: readonly Item[] },
): readonly Item[] => {
  const gone = new Set([...add, ...remove].map(nameOf));
  return [...items.filter((item) => !gone.has(nameOf(item))), ...add];
};

const tags = list(object({ key: text, value: text }, {}));

const updateBody = object(
  {},
  {
    name: shortText(50),
    releaseChannel: oneOf('slow', 'default', 'fast'),
    ipAccessList: object({}, { add: accessListOf(addresses), remove: accessListOf(text) }),
    tags: object({}, { add: tags, remove: tags }),
    privateEndpointIds: object({}, { add: list(text), remove: list(text) }),
    endpoints: list(object({ protocol: oneOf('mysql'), enabled: flag }, {})),
    transparentDataEncryptionKeyId: text,
    enableCoreDumps: flag,
  },
);

type EndpointChange = { readonly protocol: 'mysql'; readonly enabled: boolean };

/** The addresses of a service after the address for MySQL has been switched on or off. */
const withEndpoints = (
  { endpoints }: Service,
  changes: readonly EndpointChange[],
): Service['endpoints'] =>
  changes.reduce<Service['endpoints']>((before, { protocol, enabled }) => {
    const others = before.filter((endpoint) => endpoint.protocol !== protocol);
    const host = endpoints[0]?.host ?? '';
    return enabled ? [...others, { protocol, host, port: 3306, username: null }] : others;
  }, endpoints);

/** Changes a service, except its scaling. */
export const updateService = (
  state: CloudState,
  entry: ServiceEntry<unknown>,
  body: unknown,
): void => {
  const { name, releaseChannel, enableCoreDumps, ...lists } = updateBody(body, '');
  const { transparentDataEncryptionKeyId: key } = lists;
  const { record } = entry;
  entry.record = {
    ...record,
    ...(name !== undefined && { name }),
    ...(key !== undefined && { transparentDataEncryptionKeyId: key }),
    ipAccessList: changed(record.ipAccessList, ({ source }) => source, lists.ipAccessList ?? {}),
    privateEndpointIds: changed(
      record.privateEndpointIds,
      (endpoint) => endpoint,
      lists.privateEndpointIds ?? {},
    ),
    endpoints: withEndpoints(record, lists.endpoints ?? []),
  };
  const before = state.serviceExtras.get(record.id)?.tags ?? tagsOf(entry);
  setExtras(state, record.id, {
    ...(releaseChannel !== undefined && { releaseChannel }),
    ...(enableCoreDumps !== undefined && { enableCoreDumps }),
    tags: changed(before, ({ key }) => key, lists.tags ?? {}),
  });
};

const memory = integerBetween(8, 356, 4);
// More than the reference says.
const replicas = integerBetween(1, 50);

const ofRecord = object(
  {},
  {
    minReplicaMemoryGb: memory,
    maxReplicaMemoryGb: memory,
    numReplicas: replicas,
    idleScaling: flag,
    idleTimeoutMinutes: integerBetween(5, Number.POSITIVE_INFINITY),
  },
);

const ofExtras = object(
  {},
  {
    autoscalingMode: oneOf('vertical', 'horizontal'),
    minReplicas: replicas,
    maxReplicas: replicas,
  },
);

/** Checks a service as a change would leave it. */
const checkScaling = ({
  minReplicaMemoryGb,
  maxReplicaMemoryGb,
  autoscalingMode,
  minReplicas,
  maxReplicas,
}: Service & ServiceExtras): void => {
  if (minReplicaMemoryGb && maxReplicaMemoryGb && minReplicaMemoryGb > maxReplicaMemoryGb) {
    throw broken('minReplicaMemoryGb', 'must not be above maxReplicaMemoryGb');
  }
  if (autoscalingMode !== 'horizontal') return;
  if (minReplicas === undefined || maxReplicas === undefined) {
    const at = minReplicas === undefined ? 'minReplicas' : 'maxReplicas';
    throw broken(at, 'is required for horizontal scaling');
  }
  if (minReplicas > maxReplicas) throw broken('minReplicas', 'must not be above maxReplicas');
};

/** Scaling by each replica. The total memory follows as far as it can. */
export const scaleReplicas = (
  state: CloudState,
  entry: ServiceEntry<unknown>,
  body: unknown,
): void => {
  const change = ofRecord(body, '');
  const extras = ofExtras(body, '');
  checkScaling({
    ...entry.record,
    ...state.serviceExtras.get(entry.record.id),
    ...change,
    ...extras,
  });
  const { minReplicaMemoryGb: least, maxReplicaMemoryGb: most } = change;
  setExtras(state, entry.record.id, extras);
  entry.record = {
    ...entry.record,
    ...change,
    ...(least !== undefined && { minTotalMemoryGb: least * REPLICAS_OF_A_TOTAL }),
    ...(most !== undefined && { maxTotalMemoryGb: most * REPLICAS_OF_A_TOTAL }),
  };
};

const backupBody = object(
  {},
  {
    backupPeriodInHours: integerBetween(1, Number.POSITIVE_INFINITY),
    backupRetentionPeriodInHours: integerBetween(24, 1080, 24),
    backupStartTime: fullHour,
  },
);

const defaults = {
  backupPeriodInHours: 24,
  backupRetentionPeriodInHours: 24,
  backupStartTime: null,
} as const;

/** Changes a backup configuration. A null resets its member. */
export const updateBackup = (entry: ServiceEntry<unknown>, body: unknown): void => {
  const given: Readonly<Record<string, unknown>> = Object(body);
  const reset = Object.entries(defaults).filter(([name]) => given[name] === null);
  const backup = { ...entry.backup, ...backupBody(body, ''), ...Object.fromEntries(reset) };
  if (backup.backupStartTime && ![24, 48].includes(backup.backupPeriodInHours)) {
    throw broken('backupPeriodInHours', 'must be 24 or 48 if backupStartTime is set');
  }
  entry.backup = backup;
};

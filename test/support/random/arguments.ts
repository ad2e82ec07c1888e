import {
  type GraphQLField,
  type GraphQLInputType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
} from 'graphql';
import { encodeNodeId } from '../../../src/schema/node-id.ts';
import { withIds } from '../world/ids.ts';
import type { Random } from './random.ts';

const malformedUuids = ['', '..', 'organization', '0a9a0000-0000-4000-8000'] as const;
const malformedTokens = ['', '..', 'alerts/1', 'ä'] as const;

/** Usually the second number of a valid pair (see `randomWorld`), sometimes any number. */
const member = (random: Random, owner: number, limit: number): number =>
  random.chance(80) ? 2 * owner - random.below(2) : 1 + random.below(limit);

const path = (random: Random): readonly [string, string, string] => {
  const organization = 1 + random.below(random.chance(20) ? 4 : 3);
  const service = member(random, organization, 7);
  const ids: [string, string, string] = [
    withIds(`organization-${organization}`),
    withIds(`service-${service}`),
    withIds(`pipe-${member(random, service, 14)}`),
  ];
  if (random.chance(4)) ids[random.below(3)] = random.pick(malformedUuids);
  return ids;
};

const observed = (random: Random, kind: string, limit: number): string =>
  random.chance(4) ? random.pick(malformedTokens) : `${kind}-${1 + random.below(limit)}`;
const dashboardId = (random: Random) => observed(random, 'dashboard', 5);
const alertId = (random: Random) => observed(random, 'alert', 7);

const nodeId = (random: Random): string => {
  const [organization, service, pipe] = path(random);
  return random.pick([
    encodeNodeId('Organization', organization),
    encodeNodeId('Service', organization, service),
    encodeNodeId('Pipe', organization, service, pipe),
    encodeNodeId('Dashboard', dashboardId(random)),
    encodeNodeId('Alert', alertId(random)),
    random.pick(['', 'x', encodeNodeId('Alert', 'a', 'b'), encodeNodeId('Alert', '')]),
  ]);
};

/** Values of the members of filters that are texts, by name. */
const texts: Readonly<Record<string, readonly unknown[]>> = {
  dashboardIdIn: ['dashboard-1', 'dashboard-2', 'no/id'],
  tileIdIn: ['tile-1', 'tile-2'],
  stateIn: ['active', 'ALERT', 'aCTIVE', 'running', 'IDLE', 'Stopped', 'STOPPED', ''],
  silenced: [true, false, null],
  hasExecutionErrors: [true, false, null],
  expiresWithinDays: [0, 14, null],
  expired: [true, false, null],
  tagIn: ['owner', 'owner=sales', 'Owner', ''],
  nameContains: ['ORDERS', 'c', '', null],
};

const filterOf = (random: Random, type: GraphQLInputType): unknown => {
  if (!isInputObjectType(type) || random.chance(10)) return null;
  const members = Object.values(type.getFields()).filter(() => random.chance(45));
  const drawn = ({ name, type: of }: (typeof members)[number]): unknown => {
    const open = getNamedType(of);
    const values = isEnumType(open) ? open.getValues().map(({ value }) => value) : texts[name];
    if (!isListType(of)) return random.any(values ?? []);
    return random.chance(10)
      ? null
      : Array.from({ length: random.below(4) }, () => random.any(values ?? []));
  };
  return Object.fromEntries(members.map((member) => [member.name, drawn(member)]));
};

const time = (random: Random): string =>
  random.pick(['2026-11-01T00:00:00Z', '2026-11-20T00:00:00Z']);
const day = (random: Random): string => random.pick(['2026-11-01', '2026-11-20', '2027-01-01']);

type Argument = readonly [name: string, type: GraphQLInputType, value: unknown];

/** Arguments for a field of the gateway's schema; none if the field takes none. */
export const randomArguments = (
  random: Random,
  { name: fieldName, args }: GraphQLField<unknown, unknown>,
): readonly Argument[] => {
  const [organizationId, serviceId, pipeId] = path(random);
  return args.flatMap(({ name, type }): Argument[] => {
    const values: Readonly<Record<string, () => unknown>> = {
      ...{ organizationId: () => organizationId, serviceId: () => serviceId, pipeId: () => pipeId },
      // Without ClickStacks below services, the argument must not be given.
      ...(fieldName === 'service' && { service: () => serviceId }),
      ...{ pipe: () => pipeId },
      ...{ dashboardId: () => dashboardId(random), alertId: () => alertId(random) },
      nodeId: () => nodeId(random),
      nodeIds: () => Array.from({ length: random.below(5) }, () => nodeId(random)),
      filter: () => filterOf(random, type),
      ...{ from: () => time(random), to: () => time(random) },
      ...{ fromDate: () => day(random), toDate: () => day(random) },
      ...{ first: () => random.below(4) - 1, typeIn: () => random.any([['key_create'], [], null]) },
    };
    const value = values[name === 'id' ? fieldName : name];
    const isLeftOut = name === 'filter' && random.chance(40);
    return value && !isLeftOut ? [[name, type, value()]] : [];
  });
};

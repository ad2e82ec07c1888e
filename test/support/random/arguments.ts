import { encodeNodeId } from '../../../src/schema/node-id.ts';
import { withIds } from '../world/ids.ts';

/** Draws at random, and is drawn again in the same way when a counterexample is made smaller. */
export interface Dice {
  /** 0 to below the limit. */
  number(limit: number): number;
  chance(percent: number): boolean;
  pick<Item>(items: readonly [Item, ...Item[]]): Item;
}

/** A value of an argument with its type, for a literal or for a variable. */
export interface Argument {
  readonly name: string;
  readonly type: string;
  readonly value: unknown;
}

const malformedUuids = ['', '..', 'organization', '0a9a0000-0000-4000-8000'] as const;
const malformedTokens = ['', '..', 'alerts/1', 'ä'] as const;

/** One of a pair that belongs together (see `randomWorld`), or now and then any. */
const member = (dice: Dice, owner: number, limit: number): number =>
  dice.chance(80) ? 2 * owner - dice.number(2) : 1 + dice.number(limit);

const path = (dice: Dice): readonly [string, string, string] => {
  const organization = 1 + dice.number(dice.chance(20) ? 4 : 3);
  const service = member(dice, organization, 7);
  const pipe = member(dice, service, 14);
  const ids = [
    withIds(`organization-${organization}`),
    withIds(`service-${service}`),
    withIds(`pipe-${pipe}`),
  ] as [string, string, string];
  if (dice.chance(4)) ids[dice.number(3)] = dice.pick(malformedUuids);
  return ids;
};

const observed = (dice: Dice, kind: string, limit: number): string =>
  dice.chance(4) ? dice.pick(malformedTokens) : `${kind}-${1 + dice.number(limit)}`;

const dashboardId = (dice: Dice) => observed(dice, 'dashboard', 5);
const alertId = (dice: Dice) => observed(dice, 'alert', 7);

const nodeId = (dice: Dice): string => {
  const [organization, service, pipe] = path(dice);
  switch (dice.number(6)) {
    case 0:
      return encodeNodeId('Organization', organization);
    case 1:
      return encodeNodeId('Service', organization, service);
    case 2:
      return encodeNodeId('Pipe', organization, service, pipe);
    case 3:
      return encodeNodeId('Dashboard', dashboardId(dice));
    case 4:
      return encodeNodeId('Alert', alertId(dice));
    default:
      return dice.pick(['', 'x', encodeNodeId('Alert', 'a', 'b'), encodeNodeId('Alert', '')]);
  }
};

/** Some of the members, in their order. */
const someOf = (
  dice: Dice,
  members: Readonly<Record<string, () => unknown>>,
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) => (dice.chance(45) ? [[name, value()]] : [])),
  );

/** The value of an enum, which is no string where it stands as a literal. */
export class EnumValue {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }

  toJSON(): string {
    return this.name;
  }
}

const enumValue = (dice: Dice, ...names: readonly [string, ...string[]]) =>
  new EnumValue(dice.pick(names));

/** Some values of an enum, or none, or no list. */
const enumValues = (dice: Dice, ...names: readonly [string, ...string[]]) =>
  dice.chance(10) ? null : Array.from({ length: dice.number(4) }, () => enumValue(dice, ...names));

const alertFilter = (dice: Dice) =>
  someOf(dice, {
    dashboardId: () => dice.pick(['dashboard-1', 'dashboard-2', 'no/id', null]),
    tileId: () => dice.pick(['tile-1', 'tile-2', null]),
    state: () => dice.pick(['active', 'ALERT', 'aCTIVE', '', null]),
    phaseIn: () => enumValues(dice, 'FIRING', 'PENDING', 'UNKNOWN'),
    source: () => enumValue(dice, 'TILE', 'SEARCH'),
    thresholdType: () => enumValue(dice, 'ABOVE', 'BELOW'),
    nameContains: () => dice.pick(['ORDERS', 'c', '', null]),
  });

const serviceFilter = (dice: Dice) =>
  someOf(dice, {
    state: () => dice.pick(['running', 'IDLE', '', null]),
    phaseIn: () => enumValues(dice, 'RUNNING', 'IDLE', 'UNKNOWN'),
    tag: () => dice.pick(['owner', 'owner=sales', 'Owner', '', null]),
    nameContains: () => dice.pick(['ORDERS', 'c', '', null]),
  });

const pipeFilter = (dice: Dice) =>
  someOf(dice, {
    state: () => dice.pick(['Running', 'Stopped', 'STOPPED', '', null]),
    phaseIn: () => enumValues(dice, 'RUNNING', 'CHANGING', 'STOPPED', 'UNKNOWN'),
    source: () => enumValue(dice, 'KAFKA', 'OBJECT_STORAGE', 'KINESIS', 'POSTGRES'),
    nameContains: () => dice.pick(['ORDERS', 'c', '', null]),
  });

const id = (name: string, value: string): Argument => ({ name, type: 'ID!', value });

const filter = (dice: Dice, type: string, make: (dice: Dice) => unknown): readonly Argument[] =>
  dice.chance(40) ? [] : [{ name: 'filter', type, value: dice.chance(10) ? null : make(dice) }];

const makers: Readonly<Record<string, (dice: Dice) => readonly Argument[]>> = {
  'Query.organization': (dice) => [id('id', path(dice)[0])],
  'Query.service': (dice) => {
    const [organizationId, serviceId] = path(dice);
    return [id('organizationId', organizationId), id('serviceId', serviceId)];
  },
  'Query.pipe': (dice) => {
    const [organizationId, serviceId, pipeId] = path(dice);
    return [id('organizationId', organizationId), id('serviceId', serviceId), id('pipeId', pipeId)];
  },
  'Query.dashboard': (dice) => [id('id', dashboardId(dice))],
  'Query.alert': (dice) => [id('id', alertId(dice))],
  'Query.alerts': (dice) => filter(dice, 'AlertFilter', alertFilter),
  'Query.node': (dice) => [id('nodeId', nodeId(dice))],
  'Query.nodes': (dice) => {
    const value = Array.from({ length: dice.number(5) }, () => nodeId(dice));
    return [{ name: 'nodeIds', type: '[ID!]!', value }];
  },
  'Organization.services': (dice) => filter(dice, 'ServiceFilter', serviceFilter),
  'Organization.serviceCount': (dice) => filter(dice, 'ServiceFilter', serviceFilter),
  'Organization.pipes': (dice) => filter(dice, 'PipeFilter', pipeFilter),
  'Organization.service': (dice) => [id('id', path(dice)[1])],
  'Service.pipe': (dice) => [id('id', path(dice)[2])],
  'Service.pipes': (dice) => filter(dice, 'PipeFilter', pipeFilter),
};

/** Arguments for a field, or none for a field that takes none. */
export const randomArguments = (dice: Dice, field: string): readonly Argument[] =>
  makers[field]?.(dice) ?? [];

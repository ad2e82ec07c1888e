import { type GraphQLField, getNamedType } from 'graphql';
import { encodeNodeId } from '../../../src/schema/node-id.ts';
import { withIds } from '../world/ids.ts';

/** Random draws that repeat when fast-check shrinks a counterexample. */
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

/** The value of an enum, which is not a string when it is a literal. */
export class EnumValue {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }

  toJSON(): string {
    return this.name;
  }
}

const malformedUuids = ['', '..', 'organization', '0a9a0000-0000-4000-8000'] as const;
const malformedTokens = ['', '..', 'alerts/1', 'ä'] as const;

/** Usually the second number of a valid pair (see `randomWorld`), sometimes any number. */
const member = (dice: Dice, owner: number, limit: number): number =>
  dice.chance(80) ? 2 * owner - dice.number(2) : 1 + dice.number(limit);

const path = (dice: Dice): readonly [string, string, string] => {
  const organization = 1 + dice.number(dice.chance(20) ? 4 : 3);
  const service = member(dice, organization, 7);
  const pipe = member(dice, service, 14);
  const ids: [string, string, string] = [
    withIds(`organization-${organization}`),
    withIds(`service-${service}`),
    withIds(`pipe-${pipe}`),
  ];
  if (dice.chance(4)) ids[dice.number(3)] = dice.pick(malformedUuids);
  return ids;
};

const observed = (dice: Dice, kind: string, limit: number): string =>
  dice.chance(4) ? dice.pick(malformedTokens) : `${kind}-${1 + dice.number(limit)}`;
const dashboardId = (dice: Dice) => observed(dice, 'dashboard', 5);
const alertId = (dice: Dice) => observed(dice, 'alert', 7);

const nodeId = (dice: Dice): string => {
  const [organization, service, pipe] = path(dice);
  return dice.pick([
    () => encodeNodeId('Organization', organization),
    () => encodeNodeId('Service', organization, service),
    () => encodeNodeId('Pipe', organization, service, pipe),
    () => encodeNodeId('Dashboard', dashboardId(dice)),
    () => encodeNodeId('Alert', alertId(dice)),
    () => dice.pick(['', 'x', encodeNodeId('Alert', 'a', 'b'), encodeNodeId('Alert', '')]),
  ])();
};

type Values = readonly [unknown, ...unknown[]];
const enums = (...names: readonly string[]) =>
  names.map((name) => new EnumValue(name)) as unknown as Values;
const texts: Values = ['ORDERS', 'c', '', null];

/** By input type, possible values of each member; a list member gets some of them or none. */
const filters: Readonly<Record<string, Readonly<Record<string, Values>>>> = {
  AlertFilter: {
    dashboardId: ['dashboard-1', 'dashboard-2', 'no/id', null],
    tileId: ['tile-1', 'tile-2', null],
    state: ['active', 'ALERT', 'aCTIVE', '', null],
    phaseIn: enums('FIRING', 'PENDING', 'UNKNOWN'),
    source: enums('TILE', 'SEARCH'),
    thresholdType: enums('ABOVE', 'BELOW'),
    nameContains: texts,
  },
  ServiceFilter: {
    state: ['running', 'IDLE', '', null],
    phaseIn: enums('RUNNING', 'IDLE', 'UNKNOWN'),
    tag: ['owner', 'owner=sales', 'Owner', '', null],
    nameContains: texts,
  },
  PipeFilter: {
    state: ['Running', 'Stopped', 'STOPPED', '', null],
    phaseIn: enums('RUNNING', 'CHANGING', 'STOPPED', 'UNKNOWN'),
    source: enums('KAFKA', 'OBJECT_STORAGE', 'KINESIS', 'POSTGRES'),
    nameContains: texts,
  },
};

const filterOf = (dice: Dice, type: string): unknown => {
  if (dice.chance(10)) return null;
  const members = Object.entries(filters[type] ?? {}).filter(() => dice.chance(45));
  const drawn = (name: string, values: Values): unknown => {
    if (!name.endsWith('In')) return dice.pick(values);
    return dice.chance(10) ? null : Array.from({ length: dice.number(4) }, () => dice.pick(values));
  };
  return Object.fromEntries(members.map(([name, values]) => [name, drawn(name, values)]));
};

/** Arguments for a field; none if the field takes none. */
export const randomArguments = (
  dice: Dice,
  { name: fieldName, args }: GraphQLField<unknown, unknown>,
): readonly Argument[] => {
  const [organizationId, serviceId, pipeId] = path(dice);
  return args.flatMap(({ name, type }) => {
    const values: Readonly<Record<string, () => unknown>> = {
      ...{ organizationId: () => organizationId, serviceId: () => serviceId, pipeId: () => pipeId },
      ...{ organization: () => organizationId, service: () => serviceId, pipe: () => pipeId },
      ...{ dashboard: () => dashboardId(dice), alert: () => alertId(dice) },
      nodeId: () => nodeId(dice),
      nodeIds: () => Array.from({ length: dice.number(5) }, () => nodeId(dice)),
      filter: () => filterOf(dice, getNamedType(type).name),
    };
    const value = values[name === 'id' ? fieldName : name];
    const isLeftOut = name === 'filter' && dice.chance(40);
    return value && !isLeftOut ? [{ name, type: String(type), value: value() }] : [];
  });
};

import { isObject } from '../is-object.ts';
import type { Refusal } from './confirm.ts';
import type { JsonObject } from './protocol.ts';

/** What a tool of `MCP=author` has besides its operations. */
interface Extras {
  /** Arguments that are no variables. All are required. */
  readonly properties?: JsonObject;
  /** The variables that are made from what was read. */
  readonly filled?: readonly string[];
  readonly fill?: (thing: JsonObject) => JsonObject;
  /** Why the tool may not change the thing. */
  readonly refusalOf?: (thing: JsonObject, given: JsonObject) => Refusal | undefined;
}

/** A size that a service would have: the given one, else the present one, under the first name that has a value. */
const willBe = (
  names: readonly string[],
  thing: JsonObject,
  given: JsonObject,
): readonly [name: string, value: number] | undefined =>
  names
    .map((name) => [name, given[name] ?? thing[name]] as const)
    .find((each): each is readonly [string, number] => typeof each[1] === 'number');

/** Compares what the service would have with the bounds that the caller names, so also a size that stays. */
const beyondBounds = (thing: JsonObject, given: JsonObject): Refusal | undefined => {
  const replicas = willBe(['numReplicas', 'maxReplicas'], thing, given);
  const { maxTotalMemoryGb: total } = thing;
  // Some services tell only the memory of all replicas together.
  const share =
    typeof total === 'number' && replicas ? { memoryOfAReplica: total / replicas[1] } : {};
  const names = ['maxReplicaMemoryGb', 'replicaMemoryGb', 'memoryOfAReplica'];
  const memory = willBe(names, { ...thing, ...share }, given);
  const refused = (argument: string, message: string): Refusal => ({ argument, message });
  const bounds = [
    ['atMostReplicas', replicas],
    ['atMostReplicaMemoryGb', memory],
  ] as const;
  for (const [bound, size] of bounds) {
    if (!size) {
      const words = `The service does not tell what ${bound} limits, so nobody could check it.`;
      return refused(bound, words);
    }
    const [name, value] = size;
    if (value > Number(given[bound])) {
      return refused(name, `${name} would be ${value}, and ${bound} allows ${given[bound]}.`);
    }
  }
  const least = willBe(['minReplicaMemoryGb'], thing, given);
  if (!least || !memory || least[1] <= memory[1]) return undefined;
  return refused(
    'minReplicaMemoryGb',
    `minReplicaMemoryGb would be ${least[1]}, above ${memory[0]}, ${memory[1]}.`,
  );
};

const withoutNulls = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  const set = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(set.map(([name, member]) => [name, withoutNulls(member)]));
};

const listOf = (value: unknown): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : [];

const isSet = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 : value !== null && value !== undefined;

/** Members of tiles that no interface takes for a new tile. */
const ofEditors = {
  tile: ['where', 'formulas'],
  series: ['sqlTemplate', 'connectionId'],
} as const;

const isOfEditor = (tile: JsonObject): boolean =>
  ofEditors.tile.some((name) => isSet(tile[name])) ||
  listOf(tile.series).some((series) => ofEditors.series.some((name) => isSet(series[name])));

/** A copy that lacks a part of a tile would show something else under the same name. */
const notCopied = ({ tiles }: JsonObject): Refusal | undefined => {
  const names = listOf(tiles)
    .filter(isOfEditor)
    .map(({ name, id }) => JSON.stringify(name ?? id));
  if (names.length === 0) return undefined;
  const message = `Tiles with SQL, formulas or conditions cannot be created, and this dashboard has such: ${names.join(', ')}.`;
  return { argument: 'dashboardId', message };
};

/** Members that some servers require, and leave out of their answers where they are empty. */
const emptyOf = ({ type }: JsonObject): JsonObject => ({
  ...(type !== 'markdown' && { where: '' }),
  ...((type === 'time' || type === 'table') && { groupBy: [] }),
  ...(type === 'search' && { fields: [] }),
});

const newTile = ({ name, x, y, w, h, asRatio, series }: JsonObject): JsonObject => ({
  ...{ name, x, y, w, h, asRatio },
  series: listOf(series).map((each) => ({ ...emptyOf(each), ...Object(withoutNulls(each)) })),
});

/** The members of a new dashboard. Those that not every service has are left out if they are empty. */
const copyOf = ({ tags, tiles, filters, savedFilterValues }: JsonObject): JsonObject => {
  const members = { tags, tiles: listOf(tiles).map(newTile), filters, savedFilterValues };
  const given = Object.entries(members).filter(([name, value]) => name === 'tiles' || isSet(value));
  return Object.fromEntries(given.map(([name, value]) => [name, withoutNulls(value)]));
};

const bound = (description: string): JsonObject => ({ type: 'integer', description });

/** By the names of tools. */
export const extras: Readonly<Record<string, Extras>> = {
  scale_service: {
    properties: {
      atMostReplicaMemoryGb: bound("The user's limit for a replica. More is refused."),
      atMostReplicas: bound("The user's limit for replicas. More is refused."),
    },
    refusalOf: beyondBounds,
  },
  copy_dashboard: {
    filled: ['tags', 'tiles', 'filters', 'savedFilterValues'],
    fill: copyOf,
    refusalOf: notCopied,
  },
};

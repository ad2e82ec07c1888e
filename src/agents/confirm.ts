import { type DocumentNode, Kind } from 'graphql';
import { isObject } from '../is-object.ts';
import type { JsonObject } from './protocol.ts';
import { cut, isSame, longest } from './text.ts';

/** A name that a write asks for, so that it changes the right thing: of the thing, or of what the thing belongs to. */
export interface Confirmation {
  readonly argument: string;
  /** Which thing has the name, in words. */
  readonly whose: string;
  /** Reads the present name, or the id of a thing without a name; undefined if neither could be read. */
  readonly of: (thing: JsonObject) => unknown;
}

const nameOf = (thing: unknown): unknown => (isObject(thing) ? thing.name || thing.id : undefined);

const own = (whose: string): Confirmation => ({ argument: 'confirmName', whose, of: nameOf });

/**
 * By the field that reads the thing. Several pipes or alerts may have the same name, so writes on them also ask for the
 * name of the thing that they belong to.
 */
const confirmations: Readonly<Record<string, readonly Confirmation[]>> = {
  service: [own('service')],
  pipe: [
    own('pipe'),
    {
      argument: 'confirmServiceName',
      whose: "pipe's service",
      of: ({ service }) => nameOf(service),
    },
  ],
  alert: [
    own('alert'),
    {
      argument: 'confirmWatchedName',
      whose: 'dashboard or saved search',
      of: ({ id, dashboard, dashboardId, savedSearch, savedSearchId }) =>
        nameOf(dashboard) || dashboardId || nameOf(savedSearch) || savedSearchId || id,
    },
  ],
};

/** The confirmations for writes on the thing that a document reads. */
export const confirmationsOf = ({ definitions: [target] }: DocumentNode) => {
  const [field] = target?.kind === Kind.OPERATION_DEFINITION ? target.selectionSet.selections : [];
  const found = field?.kind === Kind.FIELD ? confirmations[field.name.value] : undefined;
  if (!found) throw new TypeError('A write of a tool needs a confirmation');
  return found;
};

/** An argument of a call, and why it is refused. */
export interface Refusal {
  readonly argument: string;
  readonly message: string;
}

/** The present name is left out: a model would repeat it without having looked at it. */
const unconfirmed = (
  confirms: readonly Confirmation[],
  thing: JsonObject,
  given: JsonObject,
): Refusal | undefined => {
  const wrong = confirms.find(({ argument, of }) => !isSame(given[argument], of(thing)));
  return (
    wrong && {
      argument: wrong.argument,
      message: `${wrong.argument} is not the present name of the ${wrong.whose}. Read it again, and ask the user which one is meant.`,
    }
  );
};

/** A command that the tables do not offer in a state. A state without a phase is not in the tables. */
const notOffered = (
  tool: string,
  { state, phase, availableCommands: offered }: JsonObject,
): Refusal | undefined => {
  const [command = ''] = tool.toUpperCase().split('_');
  if (!Array.isArray(offered) || phase === 'UNKNOWN' || offered.includes(command)) return undefined;
  const found = JSON.stringify(cut(String(state), longest.write));
  const commands = offered.join(', ') || 'none';
  const message = `${command} is not offered in the present state ${found}, phase ${phase}; available commands: ${commands}.`;
  return { argument: 'availableCommands', message };
};

const isCount = (series: unknown): boolean =>
  isObject(series) && /^count(?:_distinct)?$/.test(String(series.aggFn));

/** Whether a tile shows the ratio of two counts. A ratio of other values may be any number. */
const showsShare = (tile: unknown): boolean =>
  isObject(tile) &&
  tile.asRatio === true &&
  Array.isArray(tile.series) &&
  tile.series.length === 2 &&
  tile.series.every(isCount);

/** A threshold with which the alert would make no sense. */
const senseless = (
  { thresholdType, thresholdMax, tile }: JsonObject,
  { threshold }: JsonObject,
): Refusal | undefined => {
  if (typeof threshold !== 'number') return undefined;
  const argument = 'threshold';
  const hasTwo = thresholdType === 'BETWEEN' || thresholdType === 'NOT_BETWEEN';
  if (hasTwo && typeof thresholdMax === 'number' && threshold > thresholdMax) {
    const message = `threshold ${threshold} is above the alert's thresholdMax, ${thresholdMax}.`;
    return { argument, message };
  }
  if (!showsShare(tile) || (threshold >= 0 && threshold <= 1)) return undefined;
  const message = `threshold must be from 0 to 1, got ${threshold}: the alert's tile shows the ratio of two counts, where 1 is the whole and 0.02 is 2 %.`;
  return { argument, message };
};

/** Why a tool may not change a thing in its present state; undefined if it may. */
export const refusalOf = (
  { name, confirms }: { readonly name: string; readonly confirms: readonly Confirmation[] },
  thing: JsonObject,
  given: JsonObject,
): Refusal | undefined =>
  unconfirmed(confirms, thing, given) ?? notOffered(name, thing) ?? senseless(thing, given);

/** The earlier values of what a write may change. */
export const beforeOf = ({ state, phase, threshold, thresholdMax }: JsonObject): JsonObject => ({
  ...{ state, phase, threshold, thresholdMax },
});

import type { GeneratorValue } from 'fast-check';
import fc from 'fast-check';
import {
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isObjectType,
} from 'graphql';
import { type Argument, type Dice, EnumValue, randomArguments } from './arguments.ts';

export interface RandomOperation {
  readonly document: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** Where a selection set stands. */
interface Place {
  readonly type: GraphQLCompositeType;
  /** Levels of fields that may still be opened below. */
  readonly depth: number;
  /** How many fragments the selection set stands in, up to the field it belongs to. */
  readonly nested: number;
  /** Whether fields of several types may meet here, so that their answers need names of their own. */
  readonly mixed: boolean;
  /** The fields with a selection set that already stand here, fragments included. */
  readonly seen: Seen[];
}

interface Seen {
  readonly type: GraphQLObjectType;
  readonly definition: GraphQLField<unknown, unknown>;
  /** Alias, name and arguments. */
  readonly head: string;
}

interface Fragment extends Place {
  readonly name: string;
}

/** Fields are named alike only where both places name them after their types, or neither does. */
const seenIn = (place: Place, mixed: boolean): Seen[] => (place.mixed === mixed ? place.seen : []);

const createDice = (gen: GeneratorValue): Dice => {
  const number = (limit: number) => gen(fc.nat, { max: limit - 1 });
  return {
    number,
    chance: (percent) => number(100) >= 100 - percent,
    pick: (items) => items[number(items.length)] ?? items[0],
  };
};

const literal = (value: unknown): string => {
  if (value instanceof EnumValue) return value.name;
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `${name}: ${literal(member)}`);
  return `{${members.join(', ')}}`;
};

/** Whether a field leads to something with identifiers of its own, to a plain object, or to a value. */
const kindOf = ({ type }: GraphQLField<unknown, unknown>): 'relation' | 'object' | 'leaf' => {
  const below = getNamedType(type);
  if (!isCompositeType(below)) return 'leaf';
  return relationTypes.has(below.name) ? 'relation' : 'object';
};

const relationTypes = new Set([
  'Node',
  'Organization',
  'Service',
  'Pipe',
  'BackupConfiguration',
  'Invitation',
  'Dashboard',
  'Tile',
  'Alert',
]);

/** Root fields that only some profiles have. */
const ofProfiles = new Set(['dataSources', 'webhooks', 'savedSearches']);

/** Fields that open a selection set are no longer chosen after so many fields. */
const maxFields = 60;

/**
 * A valid query: nested selections, aliases, fragments of both kinds, directives, arguments and
 * variables. Two fields have the same response key only where they are the same field with the same
 * arguments, so that everything can be merged that meets.
 */
export const randomOperation = (gen: GeneratorValue, schema: GraphQLSchema): RandomOperation => {
  const query = schema.getQueryType();
  if (!query) throw new Error('the schema has no queries');
  const dice = createDice(gen);
  const declarations: string[] = [];
  const variables: Record<string, unknown> = {};
  const fragments: Fragment[] = [];
  const definitions: string[] = [];
  const argumentTexts: string[] = [];
  let fields = 0;

  const variable = (type: string, value: unknown): string => {
    const known = Object.keys(variables).find(
      (name) => declarations.includes(`$${name}: ${type}`) && variables[name] === value,
    );
    if (known !== undefined && dice.chance(50)) return `$${known}`;
    const name = `v${declarations.length + 1}`;
    declarations.push(`$${name}: ${type}`);
    variables[name] = value;
    return `$${name}`;
  };

  const argument = ({ name, type, value }: Argument): string =>
    `${name}: ${dice.chance(30) ? variable(type, value) : literal(value)}`;

  const directives = (percent: number): string => {
    if (!dice.chance(percent)) return '';
    const directive = (name: string, keeps: boolean) => {
      const value = dice.chance(65) ? keeps : !keeps;
      const condition = dice.chance(50) ? String(value) : variable('Boolean!', value);
      return ` @${name}(if: ${condition})`;
    };
    const skip = () => directive('skip', false);
    const include = () => directive('include', true);
    return dice.pick([skip, include, () => skip() + include()])();
  };

  const field = (
    { depth, mixed, seen }: Place,
    type: GraphQLObjectType,
    definition: GraphQLField<unknown, unknown>,
  ): string => {
    fields += 1;
    const texts = randomArguments(dice, `${type.name}.${definition.name}`).map(argument);
    const args = texts.length > 0 ? `(${texts.join(', ')})` : '';
    if (!argumentTexts.includes(args)) argumentTexts.push(args);
    const key = [
      ...(mixed ? [type.name] : []),
      definition.name,
      ...(args ? [argumentTexts.indexOf(args)] : []),
      ...(dice.chance(15) ? ['again'] : []),
    ].join('_');
    const alias = key === definition.name ? '' : `${key}: `;
    const head = `${alias}${definition.name}${args}`;
    if (kindOf(definition) !== 'leaf') seen.push({ type, definition, head });
    return `${head}${directives(5)}${below(definition, depth)}`;
  };

  /** What a field's own selection set is, for a field that has one. */
  const below = ({ type }: GraphQLField<unknown, unknown>, depth: number): string => {
    const named = getNamedType(type);
    if (!isCompositeType(named)) return '';
    const mixed = isAbstractType(named);
    return ` ${selectionSet({ type: named, depth: depth - 1, nested: 0, mixed, seen: [] })}`;
  };

  /** A field once more: to be merged with the one before, or beside it with other arguments. */
  const fieldAgain = (place: Place): string | undefined => {
    const [first, ...rest] = place.seen.filter(({ type }) => type === place.type);
    if (!first || fields >= maxFields || !dice.chance(30)) return undefined;
    const { type, definition, head } = dice.pick([first, ...rest]);
    if (dice.chance(40)) return field(place, type, definition);
    fields += 1;
    return `${head}${directives(5)}${below(definition, place.depth)}`;
  };

  const anyField = (place: Place): string => {
    if (!isObjectType(place.type)) {
      // An interface's own field, which all its types have alike.
      return dice.chance(50) && !('getTypes' in place.type) ? 'nodeId' : '__typename';
    }
    const again = fieldAgain(place);
    if (again !== undefined) return again;
    const candidates = Object.values(place.type.getFields()).filter(
      ({ name }) => !ofProfiles.has(name),
    );
    const isOpen = place.depth > 0 && fields < maxFields;
    const leaves = candidates.filter((definition) => kindOf(definition) === 'leaf');
    const relations = candidates.filter((definition) => kindOf(definition) === 'relation');
    const objects = candidates.filter((definition) => kindOf(definition) === 'object');
    const [wanted = leaves] = [
      ...(isOpen && dice.chance(50) ? [relations] : []),
      ...(isOpen && dice.chance(20) ? [objects] : []),
      leaves,
      ...(isOpen ? [relations] : []),
    ].filter(({ length }) => length > 0);
    const [first, ...rest] = wanted;
    if (!first || dice.chance(3)) return `__typename${directives(5)}`;
    return field(place, place.type, dice.pick([first, ...rest]));
  };

  /** A type whose fragments may stand where values of the place's type are. */
  const condition = ({ type }: Place): GraphQLCompositeType => {
    const possible: readonly GraphQLCompositeType[] = isAbstractType(type)
      ? schema.getPossibleTypes(type)
      : type.getInterfaces();
    return dice.chance(isAbstractType(type) ? 90 : 15) && possible[0]
      ? dice.pick([possible[0], ...possible.slice(1)])
      : type;
  };

  const inlineFragment = (place: Place): string => {
    const type = condition(place);
    const on = type === place.type && dice.chance(40) ? '' : ` on ${type.name}`;
    const mixed = place.mixed || isAbstractType(type);
    const inside = { ...place, type, mixed, nested: place.nested + 1, seen: seenIn(place, mixed) };
    return `...${on}${directives(12)} ${selectionSet(inside)}`;
  };

  const namedFragment = (place: Place): string => {
    const type = condition(place);
    const mixed = place.mixed || isAbstractType(type);
    const [first, ...rest] = fragments.filter(
      (fragment) =>
        fragment.type === type && fragment.mixed === mixed && fragment.depth <= place.depth,
    );
    if (first && dice.chance(60)) return `...${dice.pick([first, ...rest]).name}${directives(12)}`;
    // Stands wherever it is spread, so it knows of no place's fields.
    const body = selectionSet({ ...place, type, mixed, nested: place.nested + 1, seen: [] });
    const name = `F${definitions.length + 1}`;
    // Registered when complete, so that it cannot hold itself.
    fragments.push({ ...place, name, type, mixed });
    definitions.push(`fragment ${name} on ${type.name} ${body}`);
    return `...${name}${directives(12)}`;
  };

  const selectionSet = (place: Place): string => {
    const size = place.type === query ? 3 + dice.number(4) : 1 + dice.number(4);
    const selections = Array.from({ length: size }, () => {
      const percent = isAbstractType(place.type) ? 85 : 20;
      if (place.nested > 2 || !dice.chance(percent)) return anyField(place);
      return dice.chance(50) ? inlineFragment(place) : namedFragment(place);
    });
    return `{ ${selections.join(' ')} }`;
  };

  const body = selectionSet({ type: query, depth: 6, nested: 0, mixed: false, seen: [] });
  const declared = declarations.length > 0 ? `(${declarations.join(', ')})` : '';
  return {
    document: [`query Random${declared} ${body}`, ...definitions].join('\n'),
    variables: JSON.parse(JSON.stringify(variables)),
  };
};

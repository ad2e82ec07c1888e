import type { GeneratorValue } from 'fast-check';
import fc from 'fast-check';
import {
  doTypesOverlap,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isObjectType,
} from 'graphql';
import { type Argument, type Dice, EnumValue, randomArguments } from './arguments.ts';

type Field = GraphQLField<unknown, unknown>;

/** The place of a selection set. */
interface Place {
  readonly type: GraphQLCompositeType;
  /** Levels of fields that may still be opened below. */
  readonly depth: number;
  /** The number of fragments around the selection set, up to its field. */
  readonly nested: number;
  /** Whether fields of several types may meet here, so that they need different response keys. */
  readonly mixed: boolean;
  /** The fields with a selection set that are already in this place, fragments included. */
  readonly seen: Seen[];
}

interface Seen {
  readonly type: GraphQLCompositeType;
  readonly below: GraphQLNamedType;
  /** Alias, name and arguments. */
  readonly head: string;
}

interface Fragment extends Place {
  readonly name: string;
}

interface DraftOptions {
  readonly schema: GraphQLSchema;
  readonly dice: Dice;
  /** After this number of fields, no more fields with selection sets are chosen. */
  readonly maxFields: number;
  /** Whether all types have the same fields, so that any field may have any key. */
  readonly isAlike?: boolean;
  readonly oddNames?: readonly string[];
  /** The kind of a field; undefined if it must not be chosen. */
  readonly kindOf: (field: Field) => 'relation' | 'object' | 'leaf' | undefined;
  /** `(a: 1, b: $v1)` or nothing. */
  readonly argumentsOf: (field: Field) => string;
  /** An argument for `@skip(if:)` or `@include(if:)` that usually keeps the selection. */
  readonly condition: (keeps: boolean) => string;
}

/** One random source for all limits, since fast-check tracks every source separately. */
const die = () => fc.nat({ max: 9_999 });

export const createDice = (gen: GeneratorValue): Dice => {
  const number = (limit: number) => gen(die) % limit;
  return {
    number,
    chance: (percent) => number(100) >= 100 - percent,
    pick: (items) => items[number(items.length)] ?? items[0],
  };
};

/**
 * Makes selection sets: nested, with aliases, fragments of both kinds and directives. A response key always means the same
 * field with the same arguments, so that all fields with the same key can merge.
 */
export const createDraft = (options: DraftOptions) => {
  const { schema, dice, maxFields, isAlike = false, oddNames = [], kindOf } = options;
  const fragments: Fragment[] = [];
  const definitions: string[] = [];
  const heads = new Map<string, string>();
  let fields = 0;

  const composites = Object.values(schema.getTypeMap())
    .filter(isCompositeType)
    .filter(({ name }) => !name.startsWith('__'));

  const any = <Item>(items: readonly Item[]): Item | undefined =>
    items[0] === undefined ? undefined : dice.pick([items[0], ...items.slice(1)]);

  const directives = (percent: number): string => {
    if (!dice.chance(percent)) return '';
    const skip = () => ` @skip(if: ${options.condition(false)})`;
    const include = () => ` @include(if: ${options.condition(true)})`;
    return dice.pick([skip, skip, include, include, () => skip() + include()])();
  };

  /** A field with its own name, or with an alias that no other field has. */
  const named = (prefix: string, name: string, args: string): string => {
    const head = `${name}${args}`;
    const wanted = [
      ...(dice.chance(10) ? [any(oddNames) ?? name] : []),
      ...(dice.chance(15) ? [`${name}_again`] : []),
      name,
    ];
    const isFree = (key: string) => (heads.get(key) ?? head) === head;
    let key = wanted.map((each) => prefix + each).find(isFree);
    for (let number = 1; key === undefined; number += 1) {
      if (isFree(`${prefix}${name}_${number}`)) key = `${prefix}${name}_${number}`;
    }
    heads.set(key, head);
    return key === name ? head : `${key}: ${head}`;
  };

  const below = (type: GraphQLNamedType, depth: number): string => {
    if (!isCompositeType(type)) return '';
    const mixed = isAbstractType(type);
    return ` ${selectionSet({ type, depth: depth - 1, nested: 0, mixed, seen: [] })}`;
  };

  const field = ({ type, depth, mixed, seen }: Place, definition: Field): string => {
    const prefix = mixed && !isAlike ? `${type.name}_` : '';
    const head = named(prefix, definition.name, options.argumentsOf(definition));
    const open = getNamedType(definition.type);
    if (isCompositeType(open)) seen.push({ type, below: open, head });
    return `${head}${directives(8)}${below(open, depth)}`;
  };

  const anyField = (place: Place): string => {
    const { type, depth } = place;
    fields += 1;
    if (!('getFields' in type) || dice.chance(4)) return `__typename${directives(5)}`;
    const isOpen = depth > 0 && fields < maxFields;
    // The same field again, to be merged with the earlier one.
    const again = any(place.seen.filter((seen) => seen.type === type));
    if (again && isOpen && dice.chance(25)) {
      return `${again.head}${directives(8)}${below(again.below, depth)}`;
    }
    const kinds = Map.groupBy(Object.values(type.getFields()), kindOf);
    const kind = dice.chance(50) ? 'relation' : dice.chance(20) ? 'object' : 'leaf';
    const chosen = any((isOpen && kinds.get(kind)) || (kinds.get('leaf') ?? []));
    return chosen ? field(place, chosen) : '__typename';
  };

  /** A type whose fragments are valid for values of the place's type. */
  const condition = ({ type }: Place): GraphQLCompositeType =>
    dice.chance(isObjectType(type) ? 30 : 90)
      ? (any(composites.filter((other) => doTypesOverlap(schema, type, other))) ?? type)
      : type;

  const inlineFragment = (place: Place): string => {
    const type = condition(place);
    const on = type === place.type && dice.chance(40) ? '' : ` on ${type.name}`;
    const inside = { type, mixed: place.mixed || isAbstractType(type), nested: place.nested + 1 };
    return `...${on}${directives(20)} ${selectionSet({ ...place, ...inside })}`;
  };

  const namedFragment = (place: Place): string => {
    const known = any(
      fragments.filter(
        ({ type, mixed, depth }) =>
          mixed === place.mixed && depth <= place.depth && doTypesOverlap(schema, type, place.type),
      ),
    );
    if (known && dice.chance(60)) return `...${known.name}${directives(20)}`;
    const type = condition(place);
    const mixed = place.mixed || isAbstractType(type);
    // The fragment may be spread in any place, so it starts without fields of a place.
    const inside = { ...place, type, mixed, nested: place.nested + 1, seen: [] };
    const body = selectionSet(inside);
    const name = oddNames[definitions.length] ?? `F${definitions.length}`;
    definitions.push(`fragment ${name} on ${type.name} ${body}`);
    // Registered when complete, so that it cannot contain itself.
    fragments.push({ ...inside, name });
    return `...${name}${directives(20)}`;
  };

  const selectionSet = (place: Place): string => {
    const size = 1 + dice.number(4);
    const selections = Array.from({ length: size }, () => {
      const percent = isAbstractType(place.type) ? 75 : 20;
      if (place.nested > 2 || !dice.chance(percent)) return anyField(place);
      return dice.chance(50) ? inlineFragment(place) : namedFragment(place);
    });
    return `{ ${selections.join(' ')} }`;
  };

  return {
    definitions,
    /** The selection set of an operation. */
    root: (type: GraphQLCompositeType, depth: number): string => {
      const place: Place = { type, depth, nested: 0, mixed: false, seen: [] };
      return `{ ${Array.from({ length: 3 + dice.number(4) }, () => anyField(place)).join(' ')} ...${selectionSet(place)} }`;
    },
  };
};

export interface RandomOperation {
  readonly document: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** The types that have identifiers. */
const relationTypes = new Set(
  'Node Organization Service Pipe BackupConfiguration Invitation Dashboard Tile Alert'.split(' '),
);

const kindOf: DraftOptions['kindOf'] = ({ type }) => {
  const below = getNamedType(type);
  if (!isCompositeType(below)) return 'leaf';
  return relationTypes.has(below.name) ? 'relation' : 'object';
};

const literal = (value: unknown): string => {
  if (value instanceof EnumValue) return value.name;
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `${name}: ${literal(member)}`);
  return `{${members.join(', ')}}`;
};

/** A valid query of the gateway's schema. */
export const randomOperation = (gen: GeneratorValue, schema: GraphQLSchema): RandomOperation => {
  const query = schema.getQueryType();
  if (!query) throw new Error('the schema has no queries');
  const dice = createDice(gen);
  const declarations: string[] = [];
  const variables: Record<string, unknown> = {};

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

  const { definitions, root } = createDraft({
    ...{ schema, dice, maxFields: 60, kindOf },
    argumentsOf: (field) => {
      const texts = randomArguments(dice, field).map(argument);
      return texts.length > 0 ? `(${texts.join(', ')})` : '';
    },
    condition: (keeps) => {
      const value = dice.chance(65) ? keeps : !keeps;
      return dice.chance(50) ? String(value) : variable('Boolean!', value);
    },
  });
  const body = root(query, 6);
  const declared = declarations.length > 0 ? `(${declarations.join(', ')})` : '';
  return {
    document: [`query Random${declared} ${body}`, ...definitions].join('\n'),
    variables: JSON.parse(JSON.stringify(variables)),
  };
};

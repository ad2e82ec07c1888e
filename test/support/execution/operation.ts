import type { GeneratorValue } from 'fast-check';
import fc from 'fast-check';
import {
  doTypesOverlap,
  type GraphQLArgument,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  getNamedType,
  isCompositeType,
  isNonNullType,
  isObjectType,
  isUnionType,
  TypeMetaFieldDef,
} from 'graphql';
import type { Dice } from '../random/arguments.ts';
import { compositeTypes, schema } from './schema.ts';

/** The names of the variables that a definition uses, those of the fragments it spreads included. */
type Scope = Set<string>;
type Values = Readonly<Record<string, unknown>>;

/** One way to execute a document. */
export interface Request {
  readonly operationName: string | null | undefined;
  readonly variableValues: Values | null | undefined;
}

export interface RandomDocument {
  readonly text: string;
  readonly requests: readonly [Request, ...Request[]];
}

/** Where a selection set stands. */
interface Place {
  readonly type: GraphQLCompositeType;
  /** Levels of fields that may still be opened below. */
  readonly depth: number;
  /** How many fragments the selection set stands in, up to the field it belongs to. */
  readonly nested: number;
  readonly scope: Scope;
  /** The fields with a selection set that already stand here, fragments included. */
  readonly seen: Seen[];
}

/** A field that may be selected again in the same place. */
interface Seen {
  readonly type: GraphQLCompositeType;
  readonly below: GraphQLNamedType;
  /** Alias, name and arguments. */
  readonly head: string;
  readonly uses: Scope;
}

interface Fragment {
  readonly name: string;
  readonly type: GraphQLCompositeType;
  readonly depth: number;
  readonly uses: Scope;
}

const die = () => fc.nat({ max: 9_999 });

const createDice = (gen: GeneratorValue): Dice => {
  // One die for all limits: fast-check looks through all that were ever thrown.
  const number = (limit: number) => gen(die) % limit;
  return {
    number,
    chance: (percent) => number(100) >= 100 - percent,
    pick: (items) => items[number(items.length)] ?? items[0],
  };
};

/** Objects have properties of most of these names without anybody giving them. */
const oddNames = ['__proto__', 'constructor', 'toString', 'then', 'length'] as const;

/** By type, literals, which as JSON are the values of variables too. How these are coerced is graphql-js' business. */
const literals: Readonly<Record<string, readonly [string, ...string[]]>> = {
  Boolean: ['true', 'false'],
  'Boolean!': ['true', 'false'],
  Int: ['-3', 'null'],
  'Int!': ['7'],
  '[Int!]': ['[1, 2]', '4', 'null'],
  '[[Int!]!]!': ['[[1], [2, 3]]', '6'],
  '[Color!]': ['BLUE', '[]'],
  Color: ['RED', 'null'],
  String: ['"text"', '""'],
  'String!': ['"Apple"', '"Query"'],
  ID: ['"id"', '7'],
  Float: ['1.5', '-1e3'],
};
const jsonOf = (literal: string): unknown =>
  /^[A-Z]/.test(literal) ? literal : JSON.parse(literal);

const createInputs = (dice: Dice) => {
  const variables = new Map<string, readonly [type: string, given: string | undefined]>();
  const pick = (type: string): string => dice.pick(literals[type] ?? ['null']);

  const variable = (type: string, given: string | undefined, scope: Scope): string => {
    const known = [...variables].find(([, other]) => other[0] === type && other[1] === given);
    const odd = oddNames.find((name) => !variables.has(name) && dice.chance(5));
    const name = (dice.chance(60) && known?.[0]) || (odd ?? `v${variables.size}`);
    if (!variables.has(name)) variables.set(name, [type, given]);
    scope.add(name);
    return `$${name}`;
  };

  const argumentOf = (type: string, scope: Scope): string => {
    if (!dice.chance(35)) return pick(type);
    return variable(type, dice.chance(40) ? pick(type) : undefined, scope);
  };

  return {
    /** `(a: 1, b: $v1)` or nothing. */
    arguments: (
      args: readonly Pick<GraphQLArgument, 'name' | 'type' | 'defaultValue'>[],
      scope: Scope,
    ) => {
      const texts = args
        .filter(
          (each) =>
            (isNonNullType(each.type) && each.defaultValue === undefined) || dice.chance(40),
        )
        .map(({ name, type }) => `${name}: ${argumentOf(String(type), scope)}`);
      return texts.length > 0 ? `(${texts.join(', ')})` : '';
    },
    /** What `@skip(if:)` and `@include(if:)` take: a variable, or most often what keeps the selection. */
    condition: (keeps: boolean, scope: Scope): string => {
      if (dice.chance(30)) return String(dice.chance(70) ? keeps : !keeps);
      // One that may be null is an error where it is, in spite of its default.
      return dice.chance(70)
        ? variable('Boolean!', dice.pick([undefined, () => 'true'])?.(), scope)
        : variable('Boolean', dice.pick(['true', 'false']), scope);
    },
    /** `($v1: Int = 3)` or nothing. */
    declarations: (scope: Scope): string => {
      const texts = [...scope].map((name) => {
        const [type, given] = variables.get(name) ?? [];
        return `$${name}: ${type}${given === undefined ? '' : ` = ${given}`}`;
      });
      return texts.length > 0 ? `(${texts.join(', ')})` : '';
    },
    values: (isBroken: boolean): Values =>
      Object.fromEntries(
        [...variables].flatMap(([name, [type, given]]) => {
          if (isBroken && dice.chance(40))
            return [[name, dice.pick<unknown>([null, 'junk', [[null]]])]];
          const mayLack = !type.endsWith('!') || given !== undefined;
          if (mayLack && dice.chance(25)) return [];
          return [[name, type === 'Boolean' && dice.chance(20) ? null : jsonOf(pick(type))]];
        }),
      ),
  };
};

/** Fields that open a selection set are no longer chosen after so many fields. */
const maxFields = 20;

/** Levels of fields. */
const rootDepth = 4;

const typeOf = (name: string): GraphQLCompositeType => {
  const type = schema.getType(name);
  if (!isCompositeType(type)) throw new Error(`no composite type ${name}`);
  return type;
};

const composites = [...compositeTypes, 'Query', 'Mutation'].map(typeOf);

const overlapping = new Map(
  composites.map((type) => [
    type,
    composites.filter((other) => doTypesOverlap(schema, type, other)),
  ]),
);

const kindOf = (isOpen: boolean, hasArguments: boolean): string => `${isOpen} ${hasArguments}`;

/** By type and kind. */
const fieldsOf = new Map(
  composites.map((type) => [
    type,
    Map.groupBy(isUnionType(type) ? [] : Object.values(type.getFields()), (field) =>
      kindOf(isCompositeType(getNamedType(field.type)), field.args.length > 0),
    ),
  ]),
);

const draft = (dice: Dice) => {
  const inputs = createInputs(dice);
  const fragments: Fragment[] = [];
  const definitions: string[] = [];
  /** By response key, the field and arguments that it stands for wherever it stands in the document. */
  const heads = new Map<string, string>();
  let fields = 0;

  const any = <Item>(items: readonly Item[]): Item | undefined =>
    items[0] === undefined ? undefined : dice.pick([items[0], ...items.slice(1)]);

  const directives = (percent: number, scope: Scope): string => {
    if (!dice.chance(percent)) return '';
    const skip = () => ` @skip(if: ${inputs.condition(false, scope)})`;
    const include = () => ` @include(if: ${inputs.condition(true, scope)})`;
    return dice.pick([skip, skip, include, include, () => skip() + include()])();
  };

  /** Under its own name or an alias, of which each is always the same, so that all meeting can merge. */
  const named = (name: string, args: string): string => {
    const head = `${name}${args}`;
    const wanted = [
      ...(dice.chance(10) ? [dice.pick(oddNames)] : []),
      ...(dice.chance(15) ? [`${name}_again`] : []),
      name,
    ];
    const isFree = (key: string) => (heads.get(key) ?? head) === head;
    let key = wanted.find(isFree);
    for (let number = 1; key === undefined; number += 1) {
      if (isFree(`${name}_${number}`)) key = `${name}_${number}`;
    }
    heads.set(key, head);
    return key === name ? head : `${key}: ${head}`;
  };

  const below = (type: GraphQLNamedType, { depth, scope }: Place): string => {
    if (!isCompositeType(type)) return '';
    return ` ${selectionSet({ type, depth: depth - 1, nested: 0, scope, seen: [] })}`;
  };

  const field = (place: Place, { name, type, args }: GraphQLField<unknown, unknown>): string => {
    const uses: Scope = new Set();
    const head = named(name, inputs.arguments(args, uses));
    for (const used of uses) place.scope.add(used);
    const open = getNamedType(type);
    if (isCompositeType(open)) place.seen.push({ type: place.type, below: open, head, uses });
    return `${head}${directives(10, place.scope)}${below(open, place)}`;
  };

  /** Under one key, for each type another field or other arguments. */
  const sharedKey = (place: Place, type: GraphQLObjectType): string => {
    const index = composites.indexOf(type);
    if (place.depth === 0 || dice.chance(30)) {
      return `shared: args(int: ${index})${directives(10, place.scope)}`;
    }
    const wrapper = dice.number(9);
    const name = compositeTypes[index % compositeTypes.length] ?? 'Node';
    const head = `shared${wrapper}: ${name.toLowerCase()}${wrapper}`;
    return `${head}${directives(10, place.scope)}${below(typeOf(name), place)}`;
  };

  const introspection = (place: Place): string => {
    return dice.pick([
      () => `${named('__schema', '')}${directives(10, place.scope)} { queryType { name kind } }`,
      () =>
        `${named('__type', inputs.arguments(TypeMetaFieldDef.args, place.scope))} { name fields { name type { kind } } }`,
      () => `${named('__type', '(name: "Query")')} { fields { args { name defaultValue } } }`,
    ])();
  };

  const anyField = (place: Place): string => {
    fields += 1;
    const { type, scope } = place;
    if (isUnionType(type) || dice.chance(5)) {
      return `${named('__typename', '')}${directives(5, scope)}`;
    }
    if (type === schema.getQueryType() && dice.chance(4)) return introspection(place);
    if (isObjectType(type) && dice.chance(8)) return sharedKey(place, type);
    const again = any(place.seen.filter((seen) => seen.type === type));
    if (again && fields < maxFields && dice.chance(35)) {
      for (const used of again.uses) scope.add(used);
      return `${again.head}${directives(10, scope)}${below(again.below, place)}`;
    }
    const isOpen = place.depth > 0 && fields < maxFields;
    // It has a resolver everywhere, and in most types gives an object.
    const next = 'getFields' in type ? type.getFields().next : undefined;
    if (next && isOpen && dice.chance(20)) return field(place, next);
    const kind = kindOf(isOpen && dice.chance(40), dice.chance(15));
    const chosen = any(fieldsOf.get(type)?.get(kind) ?? []);
    return chosen ? field(place, chosen) : '__typename';
  };

  const condition = ({ type }: Place): GraphQLCompositeType =>
    dice.chance(20) ? type : (any(overlapping.get(type) ?? []) ?? type);

  const inlineFragment = (place: Place): string => {
    const type = condition(place);
    const on = type === place.type && dice.chance(50) ? '' : ` on ${type.name}`;
    const start = `...${on}${directives(25, place.scope)}`;
    return `${start} ${selectionSet({ ...place, type, nested: place.nested + 1 })}`;
  };

  const namedFragment = (place: Place): string => {
    const known = any(
      fragments.filter(
        ({ type, depth }) =>
          depth <= place.depth && (overlapping.get(place.type) ?? []).includes(type),
      ),
    );
    const fragment = known && dice.chance(60) ? known : createFragment(place);
    for (const used of fragment.uses) place.scope.add(used);
    return `...${fragment.name}${directives(25, place.scope)}`;
  };

  const createFragment = (place: Place): Fragment => {
    const type = condition(place);
    const uses: Scope = new Set();
    const body = selectionSet({ ...place, type, nested: place.nested + 1, scope: uses, seen: [] });
    const name = oddNames[definitions.length] ?? `F${definitions.length}`;
    definitions.push(`fragment ${name} on ${type.name} ${body}`);
    const fragment = { name, type, depth: place.depth, uses };
    // Registered when complete, so that it cannot hold itself.
    fragments.push(fragment);
    return fragment;
  };

  const selectionSet = (place: Place): string => {
    const least = place.depth === rootDepth ? 3 : 1;
    const selections = Array.from({ length: least + dice.number(4) }, () => {
      const percent = isObjectType(place.type) ? 25 : 60;
      if (place.nested > 2 || fields >= maxFields || !dice.chance(percent)) return anyField(place);
      return dice.chance(50) ? inlineFragment(place) : namedFragment(place);
    });
    return `{ ${selections.join(' ')} }`;
  };

  const operation = (name: string): string => {
    const root = dice.chance(25) ? 'Mutation' : 'Query';
    const scope: Scope = new Set();
    const type = typeOf(root);
    const body = selectionSet({ type, depth: rootDepth, nested: 0, scope, seen: [] });
    return `${root.toLowerCase()} ${name}${inputs.declarations(scope)} ${body}`;
  };

  return { inputs, definitions, operation };
};

/** A valid document of operations of all kinds, and requests for them, some of them with faults. */
export const randomDocument = (gen: GeneratorValue): RandomDocument => {
  const dice = createDice(gen);
  const { inputs, definitions, operation } = draft(dice);
  const names = dice.pick([[''], [''], ['One'], ['One', '__proto__', 'toString']]);
  const operations = names.map(operation);
  const request = (): Request => {
    const isWrong = dice.chance(4);
    const wrong = dice.pick([undefined, 'constructor', '', 'Other']);
    const name = names[dice.number(names.length)];
    const values = inputs.values(dice.chance(8));
    const isEmpty = Object.keys(values).length === 0;
    return {
      operationName: isWrong ? wrong : name || dice.pick([undefined, () => null])?.(),
      variableValues: isEmpty ? dice.pick([values, null, undefined]) : values,
    };
  };
  return {
    text: [...operations, ...definitions].join('\n'),
    requests: [request(), request()],
  };
};

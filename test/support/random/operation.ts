import { readFileSync } from 'node:fs';
import type { GeneratorValue } from 'fast-check';
import {
  astFromValue,
  buildSchema,
  doTypesOverlap,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isAbstractType,
  isCompositeType,
  isInputObjectType,
  isListType,
  isObjectType,
  print,
} from 'graphql';
import { randomArguments } from './arguments.ts';
import { randomFrom } from './random.ts';

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
  /** The fields with a selection set that are already in this place: alias, name and arguments of each. */
  readonly seen: { type: GraphQLCompositeType; below: GraphQLNamedType; head: string }[];
}

export interface RandomOperation {
  readonly document: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

export const gatewaySchema: GraphQLSchema = buildSchema(
  readFileSync(new URL('../../../schema.graphql', import.meta.url), 'utf8'),
);

/** Most objects inherit properties with these names. */
const oddNames = ['__proto__', 'constructor', 'toString', 'then', 'length'];

/** The types that have identifiers. */
const relationTypes = new Set(
  'Node Organization Service Pipe BackupConfiguration Invitation Dashboard Tile Alert'.split(' '),
);

const kindOf = ({ type }: Field): 'leaf' | 'relation' | 'object' => {
  const below = getNamedType(type);
  if (!isCompositeType(below)) return 'leaf';
  return relationTypes.has(below.name) ? 'relation' : 'object';
};

/**
 * A valid query of the gateway's schema: nested, with aliases, variables, fragments of both kinds and directives. A response
 * key always means the same field with the same arguments, so that all fields with the same key can merge. An odd one has
 * odd names, too, and variables that are null or left out, where their default value allows it.
 */
export const randomOperation = (
  gen: GeneratorValue,
  { schema = gatewaySchema, isOdd = false } = {},
): RandomOperation => {
  const random = randomFrom(gen);
  const [maxFields, maxDepth] = isOdd ? [20, 4] : [25, 5];
  const fragments: (Place & { readonly name: string })[] = [];
  const definitions: string[] = [];
  const heads = new Map<string, string>();
  const declarations = new Map<string, string>();
  const variables: Record<string, unknown> = {};
  let fields = 0;

  const composites = Object.values(schema.getTypeMap())
    .filter(isCompositeType)
    .filter(({ name }) => !/^__|^Mutation$|^Subscription$/.test(name));

  const literal = (type: GraphQLInputType, value: unknown): string => {
    const node = astFromValue(value, type);
    if (!node) throw new TypeError(`${type} has no value ${value}`);
    return print(node);
  };

  const variable = (type: GraphQLInputType, value: unknown): string => {
    const given = literal(type, value);
    const isLoose = isOdd && value !== null && random.chance(40);
    const declared = isLoose ? `${getNullableType(type)} = ${given}` : `${type}`;
    const known = random.any(
      [...declarations.keys()].filter(
        (name) => declarations.get(name) === declared && (isLoose || variables[name] === value),
      ),
    );
    if (known !== undefined && random.chance(50)) return `$${known}`;
    const odd = oddNames[declarations.size];
    const name = isOdd && odd && random.chance(10) ? odd : `v${declarations.size + 1}`;
    declarations.set(name, declared);
    const entry = random.any([value, value, null]);
    if (!isLoose || random.chance(60)) {
      // A plain assignment of __proto__ would set the prototype.
      Object.defineProperty(variables, name, {
        value: isLoose ? entry : value,
        enumerable: true,
      });
    }
    return `$${name}`;
  };

  const input = (type: GraphQLInputType, value: unknown): string => {
    if (random.chance(30)) return variable(type, value);
    const open = getNullableType(type);
    if (isOdd && Array.isArray(value) && isListType(open)) {
      return `[${value.map((item) => input(open.ofType, item)).join(', ')}]`;
    }
    if (isOdd && typeof value === 'object' && value !== null && isInputObjectType(open)) {
      const members = Object.entries(value).map(([name, member]) => {
        const { type: inner } = open.getFields()[name] ?? { type };
        return `${name}: ${input(inner, member)}`;
      });
      return `{ ${members.join(', ')} }`;
    }
    return literal(type, value);
  };

  const flag = schema.getDirective('skip')?.args[0];
  if (!flag) throw new TypeError('every schema has @skip');
  /** An argument of `@skip` or `@include` that usually keeps the selection. */
  const condition = (keeps: boolean): string => {
    const value = random.chance(65) ? keeps : !keeps;
    return random.chance(50) ? String(value) : variable(flag.type, value);
  };
  const directives = (percent: number): string => {
    if (!random.chance(percent)) return '';
    const skip = () => ` @skip(if: ${condition(false)})`;
    const include = () => ` @include(if: ${condition(true)})`;
    return random.pick([skip, skip, include, include, () => skip() + include()])();
  };

  /** A field with its own name, or with an alias that no other field has. */
  const named = (prefix: string, name: string, args: string): string => {
    const head = `${name}${args}`;
    const wanted = [...(random.chance(15) ? [`${name}_again`] : []), name, `${name}_${fields}`];
    if (isOdd && random.chance(10)) wanted.unshift(random.any(oddNames) ?? name);
    const key = wanted
      .map((each) => prefix + each)
      .find((each) => (heads.get(each) ?? head) === head);
    if (key === undefined) throw new Error(`no key is left for ${head}`);
    heads.set(key, head);
    return key === name ? head : `${key}: ${head}`;
  };

  const below = (type: GraphQLNamedType, depth: number): string => {
    if (!isCompositeType(type)) return '';
    const mixed = isAbstractType(type);
    return ` ${selectionSet({ type, depth: depth - 1, nested: 0, mixed, seen: [] })}`;
  };

  const field = ({ type, depth, mixed, seen }: Place, definition: Field): string => {
    const args = randomArguments(random, definition).map(
      ([name, of, value]) => `${name}: ${input(of, value)}`,
    );
    const given = args.length > 0 ? `(${args.join(', ')})` : '';
    const head = named(mixed ? `${type.name}_` : '', definition.name, given);
    const open = getNamedType(definition.type);
    if (isCompositeType(open)) seen.push({ type, below: open, head });
    return `${head}${directives(8)}${below(open, depth)}`;
  };

  const anyField = (place: Place): string => {
    const { type, depth } = place;
    fields += 1;
    if (!('getFields' in type) || random.chance(4)) return `__typename${directives(5)}`;
    const isOpen = depth > 0 && fields < maxFields;
    // The same field again, to be merged with the earlier one.
    const again = random.any(place.seen.filter((seen) => seen.type === type));
    if (again && isOpen && random.chance(25)) {
      return `${again.head}${directives(8)}${below(again.below, depth)}`;
    }
    const kinds = Map.groupBy(Object.values(type.getFields()), kindOf);
    const kind = random.chance(50) ? 'relation' : random.chance(20) ? 'object' : 'leaf';
    const chosen = random.any(
      (isOpen && kinds.get(kind)) || kinds.get('leaf') || kinds.get('relation') || [],
    );
    return chosen ? field(place, chosen) : '__typename';
  };

  /** What is below a fragment in the place, with the fragment's type: its values include some of the place's. */
  const within = (place: Place): Place => {
    const isOther = random.chance(isObjectType(place.type) ? 30 : 90);
    const others = composites.filter((other) => doTypesOverlap(schema, other, place.type));
    const type = (isOther && random.any(others)) || place.type;
    const mixed = place.mixed || isAbstractType(type);
    return { ...place, type, mixed, nested: place.nested + 1 };
  };

  const inlineFragment = (place: Place): string => {
    const inside = within(place);
    const on = inside.type === place.type && random.chance(40) ? '' : ` on ${inside.type.name}`;
    return `...${on}${directives(20)} ${selectionSet(inside)}`;
  };

  const namedFragment = (place: Place): string => {
    const known = random.any(
      fragments.filter(
        ({ type, mixed, depth }) =>
          mixed === place.mixed && depth <= place.depth && doTypesOverlap(schema, type, place.type),
      ),
    );
    if (known && random.chance(60)) return `...${known.name}${directives(20)}`;
    // The fragment may be spread in any place, so it starts without fields of a place.
    const inside = { ...within(place), seen: [] };
    const body = selectionSet(inside);
    const name = (isOdd && oddNames[definitions.length]) || `F${definitions.length}`;
    definitions.push(`fragment ${name} on ${inside.type.name} ${body}`);
    // Registered when complete, so that it cannot contain itself.
    fragments.push({ ...inside, name });
    return `...${name}${directives(20)}`;
  };

  const selectionSet = (place: Place): string => {
    const selections = Array.from({ length: 1 + random.below(4) }, () => {
      const percent = isAbstractType(place.type) ? 75 : 20;
      if (place.nested > 2 || !random.chance(percent)) return anyField(place);
      return random.chance(50) ? inlineFragment(place) : namedFragment(place);
    });
    return `{ ${selections.join(' ')} }`;
  };

  const type = schema.getQueryType();
  if (!type) throw new TypeError('the schema has no queries');
  const root: Place = { type, depth: maxDepth, nested: 0, mixed: false, seen: [] };
  const body = Array.from({ length: 3 + random.below(4) }, () => anyField(root)).join(' ');
  const more = selectionSet(root);
  const declared = [...declarations].map(([name, given]) => `$${name}: ${given}`).join(', ');
  const head = `query Random${declared && `(${declared})`} { ${body} ...${more} }`;
  return { document: [head, ...definitions].join('\n'), variables };
};

import {
  buildSchema,
  GraphQLError,
  type GraphQLField,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  isAbstractType,
  isEnumType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  parse,
  parseType,
  print,
  printSchema,
  visit,
} from 'graphql';
import { gatewaySchema } from '../support/random/operation.ts';
import { createRandom, type Random } from '../support/random/random.ts';

/** FNV-1a. */
const hash = (text: string): number => {
  let value = 0x811c9dc5;
  for (const character of text) {
    value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x01000193);
  }
  return value >>> 0;
};

/**
 * The gateway's schema in which each field has another type around the same named type, so that every query of the gateway
 * is valid in it. Its mutations are its queries.
 */
export const reshaped = (typeOf: (named: string, field: string) => string): GraphQLSchema => {
  const { definitions } = visit(parse(printSchema(gatewaySchema)), {
    StringValue: (_, key) => (key === 'description' ? null : undefined),
    FieldDefinition: (field) => {
      const named = /\w+/.exec(print(field.type))?.[0] ?? '';
      return { ...field, type: parseType(typeOf(named, field.name.value)) };
    },
  });
  const texts = definitions.map((each) => print(each));
  // No operation here has `@defer`, and where a schema has it, `execute` of graphql 17 refuses to run.
  const kept = texts.filter((text) => !/^(?:type Mutation|directive @defer)\b/.test(text));
  const query = texts.find((text) => text.startsWith('type Query ')) ?? '';
  return buildSchema([...kept, query.replace('Query', 'Mutation')].join('\n'));
};

/** The values of all fields: the same seed gives the same values, for every call. */
export interface World {
  readonly seed: number;
  /** The percentage of promised values; with 0, nothing is asynchronous. */
  readonly late: number;
  /** The share of values that fail or are wrong, per thousand. */
  readonly trouble: number;
}

/** One for each execution. */
export interface Context {
  readonly world: World;
  /** Each call of a resolver or method, with its arguments. */
  readonly calls: string[];
}

/** A place in the world, which determines all values below it. */
interface Spot {
  readonly world: World;
  readonly path: string;
  readonly depth: number;
}

const below = ({ world, path, depth }: Spot, step: string): Spot => ({
  world,
  path: `${path}/${step}`,
  depth: depth + 1,
});

const shared = new Error('the same one every time');
const more = Object.assign(new Error('more'), { extensions: { code: 'E' } });
const known = new GraphQLError('known', { extensions: { code: 'KNOWN' } });
const thrown = [
  shared,
  more,
  known,
  new RangeError('range'),
  'text',
  undefined,
  null,
  { message: 'x' },
];

const fail = (random: Random): unknown => {
  if (random.chance(25)) return random.any([new TypeError('as a value'), shared, null, undefined]);
  throw random.chance(50) ? new Error(`broken ${random.below(100)}`) : random.any(thrown);
};

const settle = async (turns: number, make: () => unknown): Promise<unknown> => {
  for (let turn = 0; turn < turns; turn += 1) await undefined;
  return make();
};

/** The value, a promise of it, or another object with a `then`. */
const soonOrLater = ({ world }: Spot, random: Random, make: () => unknown): unknown => {
  if (!random.chance(world.late)) return make();
  const promise = settle(random.below(8), make);
  // Executors ignore promises after the first failed item of a list, so their rejections need a handler.
  promise.catch(() => undefined);
  const kind = random.below(20);
  if (kind > 1) return promise;
  // biome-ignore lint/suspicious/noThenProperty: executors take anything with a `then` for a promise
  return Object.assign(kind === 0 ? {} : () => 'called', { then: promise.then.bind(promise) });
};

const leaves: Readonly<Record<string, readonly unknown[]>> = {
  Int: [0, -7, '12', true, { valueOf: () => 5 }],
  Float: [0.5, '1e3', -0],
  String: ['', 'text', 7, { toJSON: () => 'json' }],
  Boolean: [true, false, 1],
  ID: ['id', 7, { valueOf: () => 'object' }],
};
const wrong = {
  leaves: [{}, [], Symbol('no'), () => 1, Number.NaN, 'throws', 'nothing'],
  objects: [7, 'text', false, Object.assign(() => 'called', { id: 7, state: 'f' })],
  types: [
    undefined,
    null,
    7,
    { name: 'Alert' },
    true,
    'Nope',
    'AlertPhase',
    'Node',
    'Query',
    '',
    'toString',
  ],
  lists: [
    () => 'text',
    () => ({ length: 1 }),
    function* () {
      yield null;
      yield new Error('in the list');
      throw new Error('the list broke off');
    },
  ],
};

const listOf = (item: GraphQLOutputType, spot: Spot, random: Random): unknown => {
  const items = Array.from({ length: random.below(3) + Number(spot.depth < 6) }, (_, index) => {
    try {
      return produce(item, below(spot, String(index)));
    } catch (error) {
      return error;
    }
  });
  const kind = random.below(12);
  if (kind === 0) return new Set(items);
  if (kind === 1) return items.values();
  if (kind === 2) delete items[0];
  return items;
};

/** The value of a field. */
const produce = (type: GraphQLOutputType, spot: Spot): unknown => {
  const random = createRandom(hash(`${spot.world.seed}${spot.path}`));
  const isBad = () => random.below(1000) < spot.world.trouble;
  return soonOrLater(spot, random, () => {
    if (isBad()) return fail(random);
    if (!isNonNullType(type) && random.chance(8)) return random.chance(50) ? null : undefined;
    const open = isNonNullType(type) ? type.ofType : type;
    const isWrong = isBad();
    if (isListType(open)) {
      return isWrong ? random.any(wrong.lists)?.() : listOf(open.ofType, spot, random);
    }
    if (isEnumType(open) && !isWrong) return random.any(open.getValues())?.value;
    if (isLeafType(open)) return random.any(isWrong ? wrong.leaves : (leaves[open.name] ?? ['s']));
    if (!isAbstractType(open)) {
      return isWrong ? random.any<unknown>(wrong.objects) : sourceOf(spot, open.name);
    }
    const isOdd = random.below(250) < spot.world.trouble;
    const names = oddSchema.getPossibleTypes(open).map(({ name }) => name);
    return sourceOf(spot, random.any<unknown>(isOdd ? wrong.types : names));
  });
};

/** The object of a type, with what default resolvers read: half of its members are methods. */
const sourceOf = (spot: Spot, typeName: unknown): object => {
  const type = typeof typeName === 'string' ? oddSchema.getType(typeName) : undefined;
  const fields = new Map(Object.entries(isObjectType(type) ? type.getFields() : {}));
  const get = (_: object, name: string | symbol, source: unknown): unknown => {
    if (name === 'spot') return spot;
    if (name === '__typename') return typeName;
    const field = fields.get(String(name));
    if (!field) return undefined;
    if (hash(field.name) % 2 > 0) return produce(field.type, below(spot, field.name));
    return function method(this: unknown, ...given: readonly unknown[]) {
      return this === source ? resolve(field)(...given) : 'called on another object';
    };
  };
  return new Proxy({}, { get });
};

/** Shows the prototype, since resolvers may notice it. */
const show = (_: string, value: unknown): unknown => {
  if (value === undefined) return '(undefined)';
  const isBare = typeof value === 'object' && value && Object.getPrototypeOf(value) === null;
  return isBare ? ['(no prototype)', { ...value }] : value;
};

const resolve =
  ({ name, type }: Pick<GraphQLField<unknown, unknown>, 'name' | 'type'>) =>
  (...given: readonly unknown[]): unknown => {
    // A method gets no source, but is the source's.
    const [args, { world, calls }, info] = given.slice(-3) as [object, Context, GraphQLResolveInfo];
    const shown = JSON.stringify(args, show);
    let path = '';
    for (let at: typeof info.path | undefined = info.path; at; at = at.prev) {
      path = `/${at.typename ?? ''}:${at.key}${path}`;
    }
    const nodes = info.fieldNodes.map(({ loc }) => loc?.start).join(',');
    const variables = info.path.prev ? '' : JSON.stringify(info.variableValues, show);
    calls.push(`${path} ${info.parentType}.${info.fieldName} ${shown} from ${nodes} ${variables}`);
    return produce(type, below({ world, path, depth: path.split('/').length }, `${name}${shown}`));
  };

const wrappers = ['T', 'T!', '[T]', '[T!]', '[T]!', '[T!]!', '[[T]]', '[[T!]!]!', '[[T]!]'];

/** Types of all nullabilities, the same for all fields of a name, as interfaces ask for. A third of the fields have a resolver. */
export const oddSchema = reshaped(
  (named, field) => wrappers[hash(field) % wrappers.length]?.replace('T', named) ?? named,
);
/** What a type says about an object, sometimes late, and sometimes wrong. */
const told = (source: unknown, value: unknown): unknown => {
  const { spot } = Object(source) as { spot?: Spot };
  if (!spot) return undefined;
  const random = createRandom(hash(spot.path));
  return soonOrLater(spot, random, () => {
    if (random.below(250) >= spot.world.trouble) return value;
    return random.chance(50) ? fail(random) : false;
  });
};
for (const type of Object.values(oddSchema.getTypeMap())) {
  if (type.name === 'Node' && isAbstractType(type)) {
    type.resolveType = (source) =>
      told(source, Reflect.get(Object(source), '__typename')) as string;
  }
  // A scalar that fails for one value and returns nothing for another.
  if (type.name === 'DateTime' && isLeafType(type)) {
    type.serialize = (value) => {
      if (value === 'throws') throw new RangeError('DateTime cannot represent this');
      return value === 'nothing' ? undefined : value;
    };
  }
  if (!isObjectType(type) || type.name.startsWith('__')) continue;
  const isRoot = /^Query$|^Mutation$/.test(type.name);
  if (!isRoot && hash(type.name) % 4 === 0) {
    type.isTypeOf = (source) => told(source, true) as boolean;
  }
  for (const field of Object.values(type.getFields())) {
    if (isRoot || hash(`${type.name}.${field.name}`) % 3 === 0) field.resolve = resolve(field);
  }
}

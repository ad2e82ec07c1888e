import {
  GraphQLError,
  type GraphQLOutputType,
  isAbstractType,
  isLeafType,
  isListType,
  isNonNullType,
} from 'graphql';

/** The values of all fields: the same seed gives the same values, for every call. */
export interface World {
  readonly seed: number;
  /** The percentage of promised values; with 0, nothing is asynchronous. */
  readonly late: number;
  /** Whether some objects occur at many places. */
  readonly isShared: boolean;
  /** The share of positions that fail, per thousand. */
  readonly trouble: number;
}

/** A place in the world, which determines all values below it. */
interface Spot {
  readonly world: World;
  readonly seed: number;
  readonly depth: number;
}

type Draw = (limit: number) => number;

/** FNV-1a. */
const hash = (seed: number, text: string): number => {
  let value = seed ^ 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return value >>> 0;
};

/** Mulberry32. */
const createDraw = (seed: number): Draw => {
  let state = seed;
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
};

const pick = <Item>(draw: Draw, items: readonly Item[]): Item | undefined =>
  items[draw(items.length)];

export const rootSpot = (world: World): Spot => ({ world, seed: world.seed, depth: 0 });

export const spotBelow = ({ world, seed, depth }: Spot, text: string): Spot => ({
  world,
  seed: hash(seed, text),
  depth: depth + 1,
});

/** An object of any type. Its prototype has the members that default resolvers read. */
export class Source {
  readonly spot: Spot;
  readonly __typename: unknown;

  constructor(spot: Spot, typeName: unknown) {
    this.spot = spot;
    this.__typename = typeName;
  }

  resolveType(): unknown {
    const draw = createDraw(hash(this.spot.seed, 'type'));
    return soonOrLater(this.spot, draw, () =>
      draw(2000) < this.spot.world.trouble ? fail(draw) : this.__typename,
    );
  }
}

const shared = new Error('the same one every time');

const failures: readonly ((draw: Draw) => unknown)[] = [
  (draw) => {
    throw new Error(`broken ${draw(100)}`);
  },
  () => {
    throw new RangeError('out of range');
  },
  () => {
    throw Object.assign(new Error('extended'), { extensions: { code: 'EXTENDED', list: [1] } });
  },
  (draw) => {
    throw new GraphQLError(`known ${draw(100)}`, { extensions: { code: 'KNOWN' } });
  },
  () => {
    throw shared;
  },
  (draw) => {
    throw pick<unknown>(draw, ['text', undefined, null, { message: 'an object' }]);
  },
  (draw) => new TypeError(`as a value ${draw(100)}`),
  () => null,
  () => undefined,
];

const fail = (draw: Draw): unknown => pick(draw, failures)?.(draw);

const settle = async (turns: number, make: () => unknown): Promise<unknown> => {
  for (let turn = 0; turn < turns; turn += 1) await undefined;
  return make();
};

/** Executors ignore promises after the first failed item of a list, so their rejections need a handler. */
const handled = (promise: Promise<unknown>): Promise<unknown> => {
  promise.catch(() => undefined);
  return promise;
};

/** The value, a promise of it, or another object with a `then`. */
const soonOrLater = ({ world }: Spot, draw: Draw, make: () => unknown): unknown => {
  if (draw(100) >= world.late) return make();
  const promise = handled(settle(draw(8), make));
  // biome-ignore lint/suspicious/noThenProperty: executors take anything with a `then` for a promise
  return draw(10) === 0 ? { then: promise.then.bind(promise) } : promise;
};

/** The value of a field. */
export const produce = (type: GraphQLOutputType, spot: Spot): unknown => {
  const draw = createDraw(spot.seed);
  return soonOrLater(spot, draw, () =>
    draw(1000) < spot.world.trouble ? fail(draw) : produceValue(type, spot, draw),
  );
};

const produceValue = (type: GraphQLOutputType, spot: Spot, draw: Draw): unknown => {
  if (isNonNullType(type)) return produceNonNull(type.ofType, spot, draw);
  const chance = draw(100);
  if (chance < 8) return chance < 4 ? null : undefined;
  return produceNonNull(type, spot, draw);
};

const produceNonNull = (type: GraphQLOutputType, spot: Spot, draw: Draw): unknown => {
  const isWrong = draw(1000) < spot.world.trouble;
  if (isListType(type)) {
    return isWrong ? pick(draw, wrongLists)?.() : produceList(type.ofType, spot, draw);
  }
  if (isLeafType(type)) return pick(draw, (isWrong ? wrongLeaves : leaves)[type.name] ?? []);
  if (spot.world.isShared && !isWrong && draw(4) > 0) return commonValue(spot.world, draw);
  if (isAbstractType(type)) {
    const names = isWrong ? wrongTypes : (members[type.name] ?? []);
    return new Source(spot, pick<unknown>(draw, names));
  }
  return isWrong ? pick<unknown>(draw, wrongObjects) : new Source(spot, undefined);
};

const commonValues = new WeakMap<World, readonly unknown[]>();

/** A few objects of the type that all abstract types share, and promises of them. */
const commonValue = (world: World, draw: Draw): unknown => {
  const known = commonValues.get(world);
  if (known) return pick(draw, known);
  const made: unknown[] = ['a', 'b'].map((name) => {
    return new Source({ world, seed: hash(world.seed, name), depth: 3 }, 'Apple');
  });
  if (world.late > 0) {
    const late = new Source({ world, seed: hash(world.seed, 'c'), depth: 3 }, 'Apple');
    made.push(
      Promise.resolve(made[0]),
      settle(5, () => late),
    );
    if (world.trouble > 0) made.push(handled(Promise.reject(shared)));
  }
  commonValues.set(world, made);
  return pick(draw, made);
};

const produceList = (item: GraphQLOutputType, spot: Spot, draw: Draw): unknown => {
  const length = draw(spot.depth < 3 ? 4 : 2) + Number(spot.world.isShared);
  const items = Array.from({ length }, (_, index) => {
    try {
      return produce(item, spotBelow(spot, String(index)));
    } catch (error) {
      return error;
    }
  });
  const kind = draw(12);
  if (kind === 0) return new Set(items);
  if (kind === 1) return items.values();
  if (kind === 2) delete items[0];
  return items;
};

/** The possible types of each abstract type. */
const members: Readonly<Record<string, readonly string[]>> = {
  Node: ['Apple', 'Brick', 'Cloud'],
  Named: ['Apple', 'Cloud'],
  Thing: ['Apple', 'Brick'],
};

const wrongTypes = [undefined, 7, 'Nope', 'Color', 'Node', 'Query', '', 'toString'];

const wrongObjects = [7, 'text', false, Object.assign(() => 'called', { int0: 7, string1: 'f' })];

const wrongLists: readonly (() => unknown)[] = [
  () => 'text',
  () => ({ length: 1 }),
  function* () {
    yield null;
    yield new Error('in the list');
    throw new Error('the list broke off');
  },
];

const blue = { internal: 'blue' };

/** The internal values of an enum's members, by name. */
export const colors = { RED: 0, GREEN: 'verde', BLUE: blue };

/** A scalar that accepts every value, but fails for one value and returns nothing for another. */
export const serializeJson = (value: unknown): unknown => {
  if (value === 'throws') throw new RangeError('Json cannot represent this');
  return value === 'nothing' ? undefined : value;
};

export const parseJson = (value: unknown): unknown => {
  if (value === 'refused') throw new RangeError('Json refuses this');
  return value;
};

const leaves: Readonly<Record<string, readonly unknown[]>> = {
  Int: [0, 1, -7, 2 ** 31 - 1, '12', true, { valueOf: () => 5 }],
  Float: [0.5, -3, '1e3', true, -0],
  String: ['', 'text', 7, true, { toJSON: () => 'json' }],
  Boolean: [true, false, 1, 0],
  ID: ['id', 7, { valueOf: () => 'object' }],
  Color: Object.values(colors),
  Json: [{ a: [1, null], b: {} }, 'text', 0, false, [[]]],
};

const wrongLeaves: typeof leaves = {
  Int: [2 ** 31, 1.5, 'text', '', Number.NaN, {}, [], Symbol('no'), () => 1],
  Float: ['text', '', Number.POSITIVE_INFINITY, {}, Symbol('no')],
  String: [{}, [], Symbol('no'), Number.NaN],
  Boolean: ['true', {}, Number.NaN],
  ID: [1.5, {}, true, Symbol('no')],
  Color: ['RED', 99, { internal: 'blue' }, Number.NaN],
  Json: ['throws', 'nothing'],
};

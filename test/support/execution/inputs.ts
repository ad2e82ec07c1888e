import {
  GraphQLBoolean,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLNonNull,
  getNullableType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';
import type { Dice } from '../random/arguments.ts';

/** The names of the variables that a definition uses, those of the fragments it spreads included. */
export type Scope = Set<string>;

export type Values = Readonly<Record<string, unknown>>;

interface Variable {
  readonly name: string;
  readonly type: GraphQLInputType;
  readonly default: string | undefined;
}

/** An argument or a member of an input object. */
interface Member {
  readonly name: string;
  readonly type: GraphQLInputType;
  readonly defaultValue?: unknown;
}

/** Where a value stands in a document. */
interface Position {
  /** Absent where variables may not stand. */
  readonly scope: Scope | undefined;
  readonly depth: number;
  readonly hasDefault: boolean;
  readonly isOneOf?: boolean;
}

export interface Inputs {
  /** `(a: 1, b: $v1)` or nothing. */
  arguments(members: readonly Member[], scope: Scope): string;
  /** What `@skip(if:)` and `@include(if:)` take: a variable, or most often what keeps the selection. */
  condition(keeps: boolean, scope: Scope): string;
  /** `($v1: Int = 3)` or nothing. */
  declarations(scope: Scope): string;
  values(isBroken: boolean): Values;
}

/** Objects have properties of some of these names without anybody giving them. */
const oddNames = ['toString', '__proto__', 'constructor', 'hasOwnProperty'];

const literals: Readonly<Record<string, readonly [string, ...string[]]>> = {
  Int: ['0', '-3', '2147483647'],
  Float: ['1.5', '3', '-1e3'],
  String: ['"text"', '""', '"""block"""'],
  Boolean: ['true', 'false'],
  ID: ['"id"', '7'],
  Color: ['RED', 'GREEN', 'BLUE'],
  Json: ['{a: [1, "text", RED], b: null}', '"text"', '[]'],
};

const values: Readonly<Record<string, readonly [unknown, ...unknown[]]>> = {
  Int: [0, 5, -1],
  Float: [1.5, 2],
  String: ['text', '', '__proto__'],
  Boolean: [true, false],
  ID: ['id', 7],
  Color: ['RED', 'GREEN', 'BLUE'],
  Json: [JSON.parse('{"a": {"b": [1]}, "__proto__": 1}'), 'text', 3, [null]],
};

/** Fits some type each, but hardly the one it is given for. */
const junk = [
  ...[null, true, 1.5, 1e40, 'junk', 'refused', [], [[null]], {}, { x: 'no' }, { unknown: 1 }],
  ...[{ x: 1, choice: { number: 1, text: 'b' } }, { number: null }],
] as const;

export const createInputs = (dice: Dice): Inputs => {
  const variables = new Map<string, Variable>();

  const variable = (type: GraphQLInputType, given: string | undefined, scope: Scope): string => {
    const known = [...variables.values()].find(
      (other) => String(other.type) === String(type) && other.default === given,
    );
    const isKnown = known && dice.chance(60);
    const odd = oddNames.find((name) => !variables.has(name) && dice.chance(5));
    const name = isKnown ? known.name : (odd ?? `v${variables.size}`);
    if (!isKnown) variables.set(name, { name, type, default: given });
    scope.add(name);
    return `$${name}`;
  };

  /** A variable that may stand where the type is: of the very type, or stricter, or with a default. */
  const fitting = (type: GraphQLInputType, position: Position, scope: Scope): string => {
    const nullable = getNullableType(type);
    const strict = new GraphQLNonNull(nullable);
    const constant = () =>
      literal(strict, { scope: undefined, depth: position.depth, hasDefault: false });
    const kinds: [() => string, ...(() => string)[]] = [
      () => variable(strict, undefined, scope),
      () => variable(strict, constant(), scope),
    ];
    if (!position.isOneOf) {
      // Takes null in spite of its default, which then is an error where null may not stand.
      kinds.push(() => variable(nullable, constant(), scope));
      if (!isNonNullType(type)) kinds.push(() => variable(nullable, 'null', scope));
      if (!isNonNullType(type) || position.hasDefault) {
        kinds.push(() => variable(nullable, undefined, scope));
      }
    }
    return dice.pick(kinds)();
  };

  const literal = (type: GraphQLInputType, position: Position): string => {
    const { scope, depth } = position;
    if (scope && dice.chance(depth === 2 ? 45 : 15)) return fitting(type, position, scope);
    const nullable = getNullableType(type);
    if (nullable === type && !position.isOneOf && dice.chance(8)) return 'null';
    const inside = { scope, depth: depth - 1, hasDefault: false };
    if (isListType(nullable)) {
      // One item may stand for a list of it. A null in its place would be the list.
      const item = new GraphQLNonNull(getNullableType(nullable.ofType));
      if (dice.chance(25)) return literal(item, { ...inside, scope: undefined });
      const items = Array.from({ length: dice.number(3) }, () => literal(nullable.ofType, inside));
      return `[${items.join(', ')}]`;
    }
    if (isInputObjectType(nullable)) {
      const members = chosenMembers(nullable, depth).map(
        (member) => `${member.name}: ${literalOf(member, inside, nullable.isOneOf)}`,
      );
      return `{${members.join(', ')}}`;
    }
    if (String(nullable) === 'Json' && scope && dice.chance(40)) {
      return `{a: ${fitting(nullable, position, scope)}, b: [${fitting(nullable, position, scope)}]}`;
    }
    return dice.pick(literals[String(nullable)] ?? ['null']);
  };

  const literalOf = ({ type, defaultValue }: Member, position: Position, isOneOf = false) =>
    literal(type, { ...position, hasDefault: defaultValue !== undefined, isOneOf });

  const isRequired = ({ type, defaultValue }: Member) =>
    isNonNullType(type) && defaultValue === undefined;

  const chosenMembers = (type: GraphQLInputObjectType, depth: number): readonly Member[] => {
    const [first, ...rest] = Object.values(type.getFields());
    if (!first) return [];
    if (type.isOneOf) return [depth > 0 ? dice.pick([first, ...rest]) : first];
    const chosen = [first, ...rest].filter(
      (member) => isRequired(member) || (depth > 0 && dice.chance(30)),
    );
    return dice.chance(30) ? chosen.toReversed() : chosen;
  };

  const valueFor = (type: GraphQLInputType, depth: number): unknown => {
    const nullable = getNullableType(type);
    if (nullable === type && dice.chance(10)) return null;
    if (isListType(nullable)) {
      const items = Array.from({ length: dice.number(3) }, () => valueFor(nullable.ofType, depth));
      return items[0] !== null && items.length === 1 && dice.chance(40) ? items[0] : items;
    }
    if (!isInputObjectType(nullable)) return dice.pick(values[String(nullable)] ?? [null]);
    const { isOneOf } = nullable;
    const members = chosenMembers(nullable, depth).map((member) => {
      const given = isOneOf ? getNullableType(member.type) : member.type;
      return [member.name, valueFor(isOneOf ? new GraphQLNonNull(given) : given, depth - 1)];
    });
    return Object.fromEntries(members);
  };

  return {
    arguments: (members, scope) => {
      const texts = members
        .filter((member) => isRequired(member) || dice.chance(members.length > 2 ? 35 : 70))
        .map((member) => {
          const text = literalOf(member, { scope, depth: 2, hasDefault: false });
          return `${member.name}: ${text}`;
        });
      return texts.length > 0 ? `(${texts.join(', ')})` : '';
    },
    condition: (keeps, scope) => {
      if (dice.chance(30)) return String(dice.chance(70) ? keeps : !keeps);
      const strict = new GraphQLNonNull(GraphQLBoolean);
      const type = dice.chance(70) ? strict : GraphQLBoolean;
      const mayLackDefault = type === strict && dice.chance(50);
      return variable(type, mayLackDefault ? undefined : dice.pick(['true', 'false']), scope);
    },
    declarations: (scope) => {
      const texts = [...scope].map((name) => {
        const { type, default: given } = variables.get(name) ?? {};
        return `$${name}: ${type}${given === undefined ? '' : ` = ${given}`}`;
      });
      return texts.length > 0 ? `(${texts.join(', ')})` : '';
    },
    values: (isBroken) =>
      Object.fromEntries(
        [...variables.values()].flatMap(({ name, type, default: given }) => {
          if (isBroken && dice.chance(40)) return [[name, dice.pick(junk)]];
          const mayLack = !isNonNullType(type) || given !== undefined;
          return mayLack && dice.chance(25) ? [] : [[name, valueFor(type, 2)]];
        }),
      ),
  };
};

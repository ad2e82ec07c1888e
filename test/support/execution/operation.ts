import type { GeneratorValue } from 'fast-check';
import { getNamedType, isCompositeType, isNonNullType } from 'graphql';
import type { Dice } from '../random/arguments.ts';
import { createDice, createDraft } from '../random/operation.ts';
import { schema } from './schema.ts';

type Values = Readonly<Record<string, unknown>>;

/** One way to execute a document. */
export interface Request {
  readonly variableValues: Values | null | undefined;
}

export interface RandomDocument {
  readonly text: string;
  readonly requests: readonly [Request, ...Request[]];
}

/** Most objects inherit properties with these names. */
const oddNames = ['__proto__', 'constructor', 'toString', 'then', 'length'] as const;

/** Literals by type; as JSON they are also values of variables. Their coercion is graphql-js' task. */
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

  const variable = (type: string, given: string | undefined): string => {
    const known = [...variables].find(([, other]) => other[0] === type && other[1] === given);
    const odd = oddNames.find((name) => !variables.has(name) && dice.chance(5));
    const name = (dice.chance(60) && known?.[0]) || (odd ?? `v${variables.size}`);
    if (!variables.has(name)) variables.set(name, [type, given]);
    return `$${name}`;
  };

  return {
    argument: (type: string): string =>
      dice.chance(35) ? variable(type, dice.chance(40) ? pick(type) : undefined) : pick(type),
    condition: (keeps: boolean): string => {
      if (dice.chance(30)) return String(dice.chance(70) ? keeps : !keeps);
      // A variable that may be null is an error there, in spite of its default value.
      return dice.chance(70)
        ? variable('Boolean!', dice.chance(50) ? 'true' : undefined)
        : variable('Boolean', dice.pick(['true', 'false']));
    },
    declarations: (): string => {
      const texts = [...variables].map(
        ([name, [type, given]]) => `$${name}: ${type}${given === undefined ? '' : ` = ${given}`}`,
      );
      return texts.length > 0 ? `(${texts.join(', ')})` : '';
    },
    values: (isBroken: boolean): Values =>
      Object.fromEntries(
        [...variables].flatMap(([name, [type, given]]) => {
          if (isBroken && dice.chance(40)) {
            return [[name, dice.pick<unknown>([null, 'junk', [[null]]])]];
          }
          const mayLack = !type.endsWith('!') || given !== undefined;
          if (mayLack && dice.chance(25)) return [];
          return [[name, type === 'Boolean' && dice.chance(20) ? null : jsonOf(pick(type))]];
        }),
      ),
  };
};

/** A valid document with one operation, and requests for it, some with errors. */
export const randomDocument = (gen: GeneratorValue): RandomDocument => {
  const dice = createDice(gen);
  const inputs = createInputs(dice);
  const { definitions, root } = createDraft({
    ...{ schema, dice, maxFields: 20, isAlike: true, oddNames },
    kindOf: ({ name, type }) => {
      if (!isCompositeType(getNamedType(type))) return 'leaf';
      // It has a resolver in every type, and usually gives an object.
      return name === 'next' ? 'relation' : 'object';
    },
    argumentsOf: ({ args }) => {
      const texts = args
        .filter(({ type, defaultValue }) => {
          return (isNonNullType(type) && defaultValue === undefined) || dice.chance(40);
        })
        .map(({ name, type }) => `${name}: ${inputs.argument(String(type))}`);
      return texts.length > 0 ? `(${texts.join(', ')})` : '';
    },
    condition: inputs.condition,
  });
  const isMutation = dice.chance(25);
  const type = isMutation ? schema.getMutationType() : schema.getQueryType();
  if (!type) throw new Error('no root type');
  const body = root(type, 4);
  const about = dice.pick([
    '',
    '',
    '',
    '__schema { queryType { name kind } }',
    '__type(name: "Query") { fields { name args { defaultValue } type { kind } } }',
  ]);
  const request = (): Request => ({ variableValues: inputs.values(dice.chance(8)) });
  const requests = [request(), request()] as const;
  const operation = `${isMutation ? 'mutation' : 'query'} One${inputs.declarations()} ${body}`;
  const introspecting =
    isMutation || about === '' ? operation : operation.replace('{ ', `{ ${about} `);
  return { text: [introspecting, ...definitions].join('\n'), requests };
};

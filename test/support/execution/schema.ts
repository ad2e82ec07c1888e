import { makeExecutableSchema } from '@graphql-tools/schema';
import {
  type DocumentNode,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  GraphQLScalarType,
  type GraphQLSchema,
  isObjectType,
  Kind,
  parse,
  type TypeNode,
  visit,
} from 'graphql';
import {
  colors,
  parseJson,
  produce,
  rootSpot,
  Source,
  serializeJson,
  spotBelow,
  type World,
} from './world.ts';

/** One for each execution. */
export interface Context {
  readonly world: World;
  /** Each call of a resolver or method, with its arguments. */
  readonly calls: string[];
}

type Arguments = Readonly<Record<string, unknown>>;

const wrappers = ['T', 'T!', '[T]', '[T!]', '[T]!', '[T!]!', '[[T]]', '[[T!]!]!', '[[T]!]'];
const leafTypes = ['Int', 'Float', 'String', 'Boolean', 'ID', 'Color', 'Json'];
const compositeTypes = ['Apple', 'Brick', 'Cloud', 'Node', 'Named', 'Thing'] as const;
const rootTypes = ['Query', 'Mutation'] as const;

/** `int0: Int`, `int1: Int!`, …; every source has its own `toString` and `constructor`. */
const commonFields = [
  ...[...leafTypes, ...compositeTypes].flatMap((type) =>
    wrappers.map((wrapper, index) => {
      return `${type.toLowerCase()}${index}: ${wrapper.replace('T', type)}`;
    }),
  ),
  'root: Query',
  'toString: String',
  'constructor: String',
  'one(int: Int! = 3): String',
  `args(
    int: Int, three: Int! = 3, ints: [Int!], color: Color = GREEN, string: String, id: ID,
    float: Float = 1.5, boolean: Boolean
  ): String`,
  'needs(int: Int!, lists: [[Int!]!]! = [[1]], colors: [Color!] = [BLUE]): [Apple!]',
].join('\n');

const typeDefs = `
  scalar Json
  enum Color { RED GREEN BLUE }
  interface Node { next: Node ${commonFields} }
  interface Named implements Node { next: Node ${commonFields} }
  type Apple implements Node & Named { next: Apple ${commonFields} }
  type Brick implements Node { next: Named ${commonFields} }
  type Cloud implements Node & Named { next: Cloud ${commonFields} }
  union Thing = Apple | Brick
  type Query { next: Cloud ${commonFields} }
  type Mutation { next: Thing ${commonFields} }
`;

/** Shows the prototype, since resolvers may notice it. */
const show = (_: string, value: unknown): unknown => {
  if (value === undefined) return '(undefined)';
  const isBare = typeof value === 'object' && value && Object.getPrototypeOf(value) === null;
  return isBare ? ['(no prototype)', { ...value }] : value;
};

const showCall = (args: string, info: GraphQLResolveInfo): string => {
  let path = '';
  for (let step: typeof info.path | undefined = info.path; step; step = step.prev) {
    path = `/${step.typename ?? ''}:${step.key}${path}`;
  }
  const nodes = info.fieldNodes.map(({ loc }) => loc?.start).join(',');
  const variables = info.path.prev ? '' : JSON.stringify(info.variableValues, show);
  return `${path} ${info.parentType}.${info.fieldName} ${args} from ${nodes} ${variables}`;
};

const answer = (
  source: unknown,
  args: Arguments,
  { world, calls }: Context,
  info: GraphQLResolveInfo,
): unknown => {
  const given = JSON.stringify(args, show);
  calls.push(showCall(given, info));
  const spot = source instanceof Source ? source.spot : rootSpot(world);
  const type = promisedType(info.parentType.name, info.fieldName);
  return produce(type, spotBelow(spot, `${info.fieldName}${given}`));
};

/** The type in the strict schema, so that both schemas give the same answers. */
const promisedType = (typeName: string, fieldName: string): GraphQLOutputType => {
  const type = schema.getType(typeName);
  const field = isObjectType(type) ? type.getFields()[fieldName] : undefined;
  if (!field) throw new Error(`no field ${typeName}.${fieldName}`);
  return field.type;
};

const hasArguments = new Set(['one', 'args', 'needs']);
const inherited = new Set(['toString', 'constructor']);

const resolveType = (source: unknown): unknown =>
  source instanceof Source ? source.resolveType() : undefined;

const build = (definitions: DocumentNode): GraphQLSchema => {
  const built = makeExecutableSchema({
    typeDefs: definitions,
    resolvers: {
      Json: new GraphQLScalarType({
        name: 'Json',
        serialize: serializeJson,
        parseValue: parseJson,
      }),
      Color: colors,
      Node: { __resolveType: resolveType },
      Named: { __resolveType: resolveType },
    },
  });
  for (const [offset, name] of [...rootTypes, 'Apple', 'Brick', 'Cloud'].entries()) {
    const type = built.getType(name);
    if (!isObjectType(type)) throw new Error(`no object type ${name}`);
    for (const [index, field] of Object.values(type.getFields()).entries()) {
      if (inherited.has(field.name)) continue;
      // The same field has a resolver in one type and none in another.
      const isResolved = offset < rootTypes.length || (index + offset) % 3 === 0;
      if (isResolved || field.name === 'next') field.resolve = answer;
    }
  }
  return built;
};

/** Types of all kinds and of all nullabilities: all object types have the same fields. */
export const schema = build(parse(typeDefs));

const nullable = (type: TypeNode): TypeNode => {
  if (type.kind === Kind.NON_NULL_TYPE) return nullable(type.type);
  return type.kind === Kind.LIST_TYPE ? { ...type, type: nullable(type.type) } : type;
};

/** The same schema without non-null fields: here every error stays at its field. */
export const lenientSchema = build(
  visit(parse(typeDefs), {
    FieldDefinition: (field) => ({ ...field, type: nullable(field.type) }),
  }),
);

// The values for fields without a resolver: half of them are methods.
for (const [index, { name, type }] of Object.values(
  schema.getQueryType()?.getFields() ?? {},
).entries()) {
  if (inherited.has(name)) continue;
  const isMethod = hasArguments.has(name) || index % 2 === 0;
  Object.defineProperty(
    Source.prototype,
    name,
    isMethod
      ? {
          value(this: Source, args: Arguments, context: Context, info: GraphQLResolveInfo) {
            return answer(this, args, context, info);
          },
        }
      : {
          get(this: Source) {
            return produce(type, spotBelow(this.spot, name));
          },
        },
  );
}

import {
  type DocumentNode,
  GraphQLError,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isInputType,
  isListType,
  Kind,
  OperationTypeNode,
  TypeInfo,
  typeFromAST,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import type { Config } from '../config.ts';
import { isObject } from '../is-object.ts';
import type { JsonObject } from './protocol.ts';
import { searchTool } from './search.ts';
import { cut } from './text.ts';
import type { QueryTool, Tools } from './tools.ts';

/** The most characters of an input's name in a refusal. */
const mostShown = 64;

/** Why a document does more than read, or not with these variables; undefined if it is a query with them. */
const misfitOf = ({ definitions }: DocumentNode, variables: JsonObject): string | undefined => {
  const operations = definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
  const other = operations.find(({ operation }) => operation !== OperationTypeNode.QUERY);
  if (other) return `query only reads: a ${other.operation} is not carried out.`;
  const declared = operations
    .flatMap(({ variableDefinitions = [] }) => variableDefinitions)
    .map(({ variable }) => variable.name.value);
  const unknown = Object.keys(variables).find((name) => !declared.includes(name));
  return unknown === undefined
    ? undefined
    : `variables has "${cut(unknown, mostShown)}", which the query does not declare.`;
};

/** The members of inputs that a value of a variable gives, as coordinates. */
function* membersIn(value: unknown, type: GraphQLInputType): Generator<string> {
  const nullable = getNullableType(type);
  if (isListType(nullable)) {
    // Coercion turns a single item into a list of one.
    for (const item of Array.isArray(value) ? value : [value])
      yield* membersIn(item, nullable.ofType);
  } else if (isInputObjectType(nullable) && isObject(value)) {
    const members = nullable.getFields();
    for (const [name, given] of Object.entries(value)) {
      const member = members[name];
      if (!member) continue;
      yield `${nullable.name}.${name}`;
      yield* membersIn(given, member.type);
    }
  }
}

/** All that a document selects and gives, also in fragments, defaults and variables, as coordinates. */
const usedIn = (schema: GraphQLSchema, document: DocumentNode, variables: JsonObject) => {
  const used = new Set<string>();
  const seen = new Set<string>();
  const types = new TypeInfo(schema);
  visit(
    document,
    visitWithTypeInfo(types, {
      Field: ({ name }) => {
        used.add(`${types.getParentType()?.name}.${name.value}`);
      },
      Argument: ({ name }) => {
        used.add(`${types.getParentType()?.name}.${types.getFieldDef()?.name}(${name.value}:)`);
      },
      ObjectField: ({ name }) => {
        used.add(`${getNamedType(types.getParentInputType())?.name}.${name.value}`);
      },
      VariableDefinition: ({ variable: { name }, type }) => {
        const given = typeFromAST(schema, type);
        // A document that declares a variable again is refused later. Its value may be large.
        if (!isInputType(given) || seen.has(name.value)) return;
        seen.add(name.value);
        for (const each of membersIn(variables[name.value], given)) used.add(each);
      },
    }),
  );
  return used;
};

interface QueryOptions {
  /** What agents may not read or give, by coordinates, and what it is. */
  readonly closed: ReadonlyMap<string, string>;
  /** The coordinates of the fields that do not work. */
  readonly unavailable: readonly string[];
  readonly config: Pick<Config, 'persistedOperations' | 'introspection'>;
}

const properties = {
  query: {
    type: 'string',
    description: 'For example { organizations { services { id name } } }.',
  },
  variables: { type: 'object', description: 'Values of its variables, by name.' },
};

const refusal = (code: string, message: string): GraphQLError =>
  new GraphQLError(message, { extensions: { code } });

const queryTool = (
  schema: GraphQLSchema,
  { closed, unavailable, config }: QueryOptions,
): QueryTool => {
  const missing = new Set(unavailable);
  const name = 'query';
  const found = config.introspection ? ': find its names with search_schema' : '';
  return {
    ...{ kind: 'query', name, isWrite: false, properties, required: ['query'] },
    types: { query: 'a text', variables: 'an object' },
    narrowing: ['fewer fields', 'first', 'a filter'],
    listed: {
      name,
      description: `Reads by one GraphQL query what no other tool tells, or several things at once${found}. Answers what it selects. No mutations, no subscriptions, no data of people such as members and e-mail addresses. Select few fields.`,
      inputSchema: {
        type: 'object',
        properties,
        required: ['query'],
        additionalProperties: false,
      },
      annotations: { readOnlyHint: true },
    },
    refusalOf: (document, given) => {
      const variables = isObject(given.variables) ? given.variables : {};
      const misfit = misfitOf(document, variables);
      if (misfit !== undefined) return refusal('BAD_USER_INPUT', misfit);
      for (const each of usedIn(schema, document, variables)) {
        const what = closed.get(each);
        if (what !== undefined) {
          const message = `${each} is ${what}, which agents may not read: leave it out.`;
          return refusal('BAD_USER_INPUT', message);
        }
        if (missing.has(each)) {
          const message = `${each} does not work with this gateway: leave it out.`;
          return refusal('OPERATION_UNAVAILABLE', message);
        }
      }
      return undefined;
    },
  };
};

/** The tools with which agents write their own queries. */
export const queryTools = (schema: GraphQLSchema, options: QueryOptions): Tools => {
  const { closed, unavailable, config } = options;
  if (config.persistedOperations === 'only') return new Map();
  const search = config.introspection ? [searchTool(schema, closed, unavailable)] : [];
  return new Map([queryTool(schema, options), ...search].map((tool) => [tool.name, tool]));
};

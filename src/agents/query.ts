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
import { isObject } from '../is-object.ts';
import { closedOf } from '../schema/closed.ts';
import type { JsonObject } from './protocol.ts';
import { searchTool } from './search.ts';
import { cut } from './text.ts';
import type { QueryTool, Tools } from './tools.ts';

/** The most characters of an input's name in a refusal. */
const mostShown = 64;

/** Why a document is not one read with these variables; undefined if it is. */
const misfitOf = ({ definitions }: DocumentNode, variables: JsonObject): string | undefined => {
  const operations = definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
  const [operation, ...others] = operations;
  if (!operation || others.length > 0) {
    return `query takes one operation, and this text has ${operations.length || 'none'}.`;
  }
  if (operation.operation !== OperationTypeNode.QUERY) {
    return `query only reads: a ${operation.operation} is not carried out.`;
  }
  const declared = operation.variableDefinitions?.map(({ variable }) => variable.name.value) ?? [];
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
    for (const member of Object.values(nullable.getFields())) {
      if (!Object.hasOwn(value, member.name)) continue;
      yield `${nullable.name}.${member.name}`;
      yield* membersIn(value[member.name], member.type);
    }
  }
}

/** All that a document selects and gives, also in fragments, defaults and variables, as coordinates. */
const usedIn = (schema: GraphQLSchema, document: DocumentNode, variables: JsonObject) => {
  const used: string[] = [];
  const types = new TypeInfo(schema);
  visit(
    document,
    visitWithTypeInfo(types, {
      Field: ({ name }) => {
        used.push(`${types.getParentType()?.name}.${name.value}`);
      },
      Argument: ({ name }) => {
        used.push(`${types.getParentType()?.name}.${types.getFieldDef()?.name}(${name.value}:)`);
      },
      ObjectField: ({ name }) => {
        used.push(`${getNamedType(types.getParentInputType())?.name}.${name.value}`);
      },
      VariableDefinition: ({ variable, type }) => {
        const given = typeFromAST(schema, type);
        if (isInputType(given)) used.push(...membersIn(variables[variable.name.value], given));
      },
    }),
  );
  return used;
};

const queryTool = (schema: GraphQLSchema, hasSearch: boolean): QueryTool => {
  const closed = closedOf(schema);
  const name = 'query';
  const found = hasSearch ? ': find its names with search_schema' : '';
  return {
    ...{ kind: 'query', name, isWrite: false, lists: [] },
    ...{ takes: ['query', 'variables'], required: ['query'] },
    types: { query: 'a text', variables: 'an object' },
    narrowing: ['fewer fields', 'first', 'a filter'],
    listed: {
      name,
      title: 'GraphQL query',
      description: `Reads by one GraphQL query what no other tool tells, or several things at once${found}. Answers what it selects. No mutations, no subscriptions, no data of people such as members and e-mail addresses. Select few fields.`,
      inputSchema: {
        type: 'object',
        properties: {
          query: {
            type: 'string',
            description: 'For example { organizations { services { id name } } }.',
          },
          variables: { type: 'object', description: 'Values of its variables, by name.' },
        },
        required: ['query'],
        additionalProperties: false,
      },
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    refusalOf: (document, given) => {
      const variables = isObject(given.variables) ? given.variables : {};
      const misfit = misfitOf(document, variables);
      const coordinate = usedIn(schema, document, variables).find((each) => closed.has(each));
      const message =
        misfit ??
        (coordinate &&
          `${coordinate} is ${closed.get(coordinate)}, which agents may not read: leave it out.`);
      return message === undefined
        ? undefined
        : new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT' } });
    },
  };
};

/** The tools with which agents write their own queries. */
export const queryTools = (
  schema: GraphQLSchema,
  unavailable: readonly string[],
  {
    persistedOperations,
    introspection,
  }: { readonly persistedOperations: string; readonly introspection: boolean },
): Tools => {
  if (persistedOperations === 'only') return new Map();
  const tools = [
    queryTool(schema, introspection),
    ...(introspection ? [searchTool(schema, unavailable)] : []),
  ];
  return new Map(tools.map((tool) => [tool.name, tool]));
};

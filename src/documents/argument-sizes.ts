import {
  type ASTNode,
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  visit,
} from 'graphql';
import { coerceVariables } from '../graphql/variables.ts';
import { isObject } from '../is-object.ts';
import type { Asked } from './limits.ts';

/** Each row of a list is compared with the arguments, and a document can give the arguments to many fields. */
const limits = {
  textCharacters: [1000, 'text', 'characters'],
  listEntries: [1000, 'list', 'entries'],
} as const;
type Limit = keyof typeof limits;

/** The arguments with which each row is compared. Identifiers have limits of their own. */
const compared: ReadonlySet<string> = new Set(['filter', 'severityIn', 'statusIn', 'typeIn']);

/** No filter has more levels, so a deeper value does not fit its type. */
const mostLevels = 8;

/** The limit that a value exceeds, and its size. */
type Excess = readonly [limit: Limit, size: number];

const excessOf = (limit: Limit, size: number): Excess | undefined =>
  size > limits[limit][0] ? [limit, size] : undefined;

/** The first part of a request's value, before coercion, that exceeds a limit. */
const excessIn = (value: unknown, levels = mostLevels): Excess | undefined => {
  if (typeof value === 'string') return excessOf('textCharacters', value.length);
  if (levels === 0) return undefined;
  if (!Array.isArray(value) && !isObject(value)) return undefined;
  const own = Array.isArray(value) ? excessOf('listEntries', value.length) : undefined;
  if (own) return own;
  for (const member of Object.values(value)) {
    const found = excessIn(member, levels - 1);
    if (found) return found;
  }
  return undefined;
};

const excessOfLiteral = (node: ASTNode): Excess | undefined => {
  if (node.kind === Kind.STRING) return excessOf('textCharacters', node.value.length);
  return node.kind === Kind.LIST ? excessOf('listEntries', node.values.length) : undefined;
};

const errorOf = (place: string, [limit, size]: Excess, node: ASTNode): GraphQLError => {
  const [allowed, thing, unit] = limits[limit];
  const message = `${place} may have a ${thing} of at most ${allowed} ${unit}; this one has ${size}.`;
  const extensions = { code: 'LIMIT_EXCEEDED', limit, allowed };
  return new GraphQLError(message, { nodes: node, extensions });
};

interface Found {
  /** The variables in these arguments, also within lists and objects. */
  readonly variables: ReadonlySet<string>;
  /** The error for the first literal that is too large. */
  readonly error: GraphQLError | undefined;
}

const look = (document: DocumentNode): Found => {
  const variables = new Set<string>();
  let error: GraphQLError | undefined;
  const lookInto = (value: ASTNode, place: string): void => {
    visit(value, {
      enter: (node) => {
        if (node.kind === Kind.VARIABLE) variables.add(node.name.value);
        const excess = excessOfLiteral(node);
        if (excess) error ??= errorOf(place, excess, node);
      },
    });
  };
  visit(document, {
    Directive: () => false,
    VariableDefinition: () => false,
    Argument: ({ name, value }) => {
      if (compared.has(name.value)) lookInto(value, `The argument ${name.value}`);
      return false;
    },
  });
  // A default counts where the variable is used.
  visit(document, {
    Field: () => false,
    VariableDefinition: ({ variable: { name }, defaultValue }) => {
      if (defaultValue && variables.has(name.value)) {
        lookInto(defaultValue, `The variable $${name.value}`);
      }
    },
  });
  return { variables, error };
};

const found = new WeakMap<DocumentNode, Found>();

const foundIn = (document: DocumentNode): Found => {
  const known = found.get(document) ?? look(document);
  found.set(document, known);
  return known;
};

/** The error for the first literal that is too large to be compared with all rows; undefined if there is none. */
export const checkLiteralSizes = (document: DocumentNode): GraphQLError | undefined =>
  foundIn(document).error;

/**
 * Like `checkLiteralSizes`, for the values of variables. A value that does not fit its type is left to the executor.
 */
export const checkVariableSizes = (
  schema: GraphQLSchema,
  { document, operationName, variableValues }: Asked,
): GraphQLError | undefined => {
  const given = variableValues ?? {};
  const { variables } = foundIn(document);
  const definitions = getOperationAST(document, operationName)?.variableDefinitions ?? [];
  for (const definition of definitions) {
    const name = definition.variable.name.value;
    const excess =
      variables.has(name) && Object.hasOwn(given, name) ? excessIn(given[name]) : undefined;
    if (!excess) continue;
    const { errors } = coerceVariables(schema, [definition], given, { maxErrors: 1 });
    return errors ? undefined : errorOf(`The variable $${name}`, excess, definition);
  }
  return undefined;
};

import {
  type ArgumentNode,
  type DocumentNode,
  type ExecutionResult,
  type FieldNode,
  GraphQLError,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  Kind,
  type OperationDefinitionNode,
  parse,
  parseValue,
  print,
  type SelectionNode,
} from 'graphql';
import { isObject } from '../is-object.ts';
import type { JsonObject } from './protocol.ts';

/** What tools need to know where dashboards and alerts are in the ClickStack of a service. */
export interface Stacks {
  /** The service that is meant if a call names none. */
  readonly service: { readonly organizationId: string; readonly serviceId: string } | undefined;
}

const operationIn = ({ definitions: [operation] }: DocumentNode): OperationDefinitionNode => {
  if (operation?.kind === Kind.OPERATION_DEFINITION) return operation;
  throw new TypeError('A document of a tool begins with its operation');
};

const read = (text: string): OperationDefinitionNode =>
  operationIn(parse(text, { noLocation: true }));

const { variableDefinitions: ids = [] } = read(`query (
  "UUID of the organization."
  $organizationId: ID!
  "From list_services."
  $serviceId: ID!
) { __typename }`);

const name = { kind: Kind.NAME, value: 'service' } as const;
const value = parseValue('{ organizationId: $organizationId, serviceId: $serviceId }', {
  noLocation: true,
});

/** The field with the service as its argument or in its input; undefined if it takes none. */
const inService = (
  schema: GraphQLSchema,
  { operation }: OperationDefinitionNode,
  field: FieldNode,
): FieldNode | undefined => {
  const { arguments: given = [] } = field;
  const taken = schema.getRootType(operation)?.getFields()[field.name.value]?.args ?? [];
  if (taken.some((each) => each.name === name.value)) {
    return { ...field, arguments: [...given, { kind: Kind.ARGUMENT, name, value }] };
  }
  const placed = given.map((argument): ArgumentNode => {
    const type = getNamedType(taken.find((each) => each.name === argument.name.value)?.type);
    const input = argument.value;
    if (!isInputObjectType(type) || !type.getFields()[name.value]) return argument;
    if (input.kind !== Kind.OBJECT) return argument;
    const fields = [...input.fields, { kind: Kind.OBJECT_FIELD, name, value } as const];
    return { ...argument, value: { ...input, fields } };
  });
  return placed.some((argument, at) => argument !== given[at])
    ? { ...field, arguments: placed }
    : undefined;
};

const selecting = <Node extends FieldNode | OperationDefinitionNode>(
  node: Node,
  selections: readonly SelectionNode[],
): Node => ({ ...node, selectionSet: { kind: Kind.SELECTION_SET, selections } });

const place = { owner: 'organization', list: 'clickStacks' } as const;

/** Alerts cost a call for each service, and another one if an alert is called as its tile. */
const withCostOfAlerts = (description: string): string =>
  description.replace(
    'Costs 2 calls for each service.',
    'Costs 3 calls for each service, 4 if an alert has no name.',
  );

/** A document of a tool for the ClickStacks of services. */
export interface Placed {
  readonly document: DocumentNode;
  /** Whether it has got the variables that identify a service. */
  readonly takesService: boolean;
}

/**
 * The document with the service in its fields about a ClickStack. If it reads an organization too, it has these fields for
 * each service instead.
 */
export const inStacks = (schema: GraphQLSchema, document: DocumentNode): Placed => {
  const operation = operationIn(document);
  const { variableDefinitions = [], description } = operation;
  const fields = operation.selectionSet.selections.filter((node) => node.kind === Kind.FIELD);
  const placed = fields.map((field) => inService(schema, operation, field) ?? field);
  const about = fields.filter((field, at) => field !== placed[at]);
  if (about.length === 0) return { document, takesService: false };
  const organization = fields.find((field) => field.name.value === place.owner);
  if (!organization) {
    const whole = { ...operation, variableDefinitions: [...ids, ...variableDefinitions] };
    const definitions = [selecting(whole, placed)];
    return { document: { ...document, definitions }, takesService: true };
  }
  const { selectionSet: all } = read(
    `{ ${place.list}: services { serviceId: id serviceName: name ${about.map(print).join(' ')} } }`,
  );
  const own = organization.selectionSet?.selections ?? [];
  const rest = fields.filter((field) => field !== organization && !about.includes(field));
  const told = withCostOfAlerts(description?.value ?? '');
  const whole = {
    ...selecting(operation, [...rest, selecting(organization, [...all.selections, ...own])]),
    description: { kind: Kind.STRING, value: told } as const,
  };
  return { document: { ...document, definitions: [whole] }, takesService: false };
};

/** Whether an answer tells anything about a service besides its name. */
const hasNews = (stack: JsonObject): boolean =>
  Object.values(stack).some((told) => Array.isArray(told) && told.length > 0);

/**
 * The result without the services that have no ClickStack, or nothing to tell. The services that could not be read are in
 * a list, and each kind of their errors comes once.
 *
 * @param codeOf the code that a client will see; an error does not have it yet
 */
export const withFewerStacks = (
  result: ExecutionResult,
  codeOf: (error: GraphQLError) => string | undefined,
): ExecutionResult => {
  const { data, errors = [] } = result;
  const organization = data?.[place.owner];
  const read = isObject(organization) ? organization[place.list] : undefined;
  if (!isObject(organization) || !Array.isArray(read)) return result;
  const stacks: readonly JsonObject[] = read.filter(isObject);
  const others = errors.filter(({ path }) => path?.[1] !== place.list);
  const unread = errors.flatMap((error) => {
    const { path } = error;
    const code = codeOf(error);
    const isMissing = path?.[1] !== place.list || code === 'OPERATION_UNAVAILABLE';
    return isMissing ? [] : [{ error, code, id: stacks[Number(path?.[2])]?.serviceId }];
  });
  const unreadServices = [...new Map(unread.map((each) => [each.id, each])).values()];
  const kinds = [...new Map(unread.map((each) => [each.code, each.error])).values()];
  const list = {
    items: stacks.filter(hasNews),
    unreadServices: unreadServices.map(({ id, code }) => ({ service: { id }, code })),
  };
  const path = Object.values(place);
  return {
    ...result,
    data: { ...data, [place.owner]: { ...organization, [place.list]: list } },
    errors: [
      ...others,
      ...kinds.map(
        ({ message, nodes, originalError }) =>
          new GraphQLError(message, {
            ...{ nodes: nodes ?? null, originalError: originalError ?? null, path },
          }),
      ),
    ],
  };
};

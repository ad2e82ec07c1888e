import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
  type ValueNode,
  type VariableDefinitionNode,
  visit,
} from 'graphql';

/** Values of variables as the request has them, before coercion. */
type Values = Readonly<Record<string, unknown>>;

/** The number of items of a list argument after coercion; 0 if it is absent. */
type LengthOf = (value: ValueNode | undefined) => number;

const ofLiteral = (value: ValueNode | undefined): number => {
  if (value === undefined || value.kind === Kind.NULL) return 0;
  // Coercion turns a single item into a list of one.
  return value.kind === Kind.LIST ? value.values.length : 1;
};

const ofGiven = (value: unknown): number => {
  if (value === null) return 0;
  return Array.isArray(value) ? value.length : 1;
};

/**
 * Counts the items of list arguments.
 *
 * @param values the values of variables; without them each variable counts as one item
 */
const createLengthOf = (
  definitions: readonly VariableDefinitionNode[],
  values: Values | undefined,
): LengthOf => {
  const defaults = new Map(
    definitions.map(({ variable, defaultValue }) => [variable.name.value, defaultValue]),
  );
  return (value) => {
    if (value?.kind !== Kind.VARIABLE) return ofLiteral(value);
    if (!values) return 1;
    const name = value.name.value;
    const given = Object.hasOwn(values, name) ? values[name] : undefined;
    return given === undefined ? ofLiteral(defaults.get(name)) : ofGiven(given);
  };
};

/** The size of a selection set, fragments included. */
interface Extent {
  /** Fields directly in the selection set. */
  readonly fields: number;
  /** See `Limits.cost`. */
  readonly cost: number;
  /** Identifiers given to `node` and `nodes`. */
  readonly nodeIds: number;
}

const nothing: Extent = { fields: 0, cost: 0, nodeIds: 0 };

const beside = (one: Extent, other: Extent): Extent => ({
  fields: one.fields + other.fields,
  cost: one.cost + other.cost,
  nodeIds: one.nodeIds + other.nodeIds,
});

/** The assumed length of a list. */
const listFactor = 10;

/** Lists that combine the items of several lists, each as its type and field. */
const listsOfLists = new Set(['OrganizationPipes.items']);

const metaFields = [SchemaMetaFieldDef, TypeMetaFieldDef, TypeNameMetaFieldDef];

type Field = GraphQLField<unknown, unknown>;

const fieldOf = (type: GraphQLNamedType | undefined, name: string): Field | undefined => {
  const own = isObjectType(type) || isInterfaceType(type) ? type.getFields()[name] : undefined;
  return own ?? metaFields.find((field) => field.name === name);
};

const asksForSchema = (name: string): boolean =>
  name === SchemaMetaFieldDef.name || name === TypeMetaFieldDef.name;

/** Whether a document selects `__schema` or `__type`. */
export const mentionsSchema = (document: DocumentNode): boolean => {
  let found = false;
  visit(document, {
    Field: ({ name }) => {
      found ||= asksForSchema(name.value);
    },
  });
  return found;
};

const argumentOf = (node: FieldNode, name: string) =>
  node.arguments?.find((argument) => argument.name.value === name)?.value;

/**
 * Measures the operations of a document. Each fragment is measured once, even if it is spread many times, so a document
 * that expands to a huge one is still measured quickly.
 *
 * @param values the values of variables; without them a list in a variable counts as one item
 */
export const createMeasure = (schema: GraphQLSchema, document: DocumentNode, values?: Values) => {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const node of document.definitions) {
    if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node);
  }
  const measured = new Map<string, Extent>();
  let lengthOf = createLengthOf([], values);

  const ofFragment = (name: string): Extent => {
    const known = measured.get(name);
    if (known) return known;
    // A fragment within itself adds nothing here; validation refuses it.
    measured.set(name, nothing);
    const fragment = fragments.get(name);
    if (!fragment) return nothing;
    const type = schema.getType(fragment.typeCondition.name.value);
    const extent = ofSelection(fragment.selectionSet, type);
    measured.set(name, extent);
    return extent;
  };

  /**
   * How many objects a field stands for: the assumed length of a list, or the number of identifiers given to the field.
   */
  const factorOf = (field: Field, node: FieldNode, type: GraphQLNamedType | undefined): number => {
    if (!isListType(getNullableType(field.type))) return 1;
    const list = field.args.find(({ type }) => isListType(getNullableType(type)));
    if (list) return lengthOf(argumentOf(node, list.name));
    return listsOfLists.has(`${type?.name}.${field.name}`) ? listFactor ** 2 : listFactor;
  };

  const ofField = (node: FieldNode, type: GraphQLNamedType | undefined): Extent => {
    const field = fieldOf(type, node.name.value);
    const own = lengthOf(argumentOf(node, 'nodeId')) + lengthOf(argumentOf(node, 'nodeIds'));
    const inner = node.selectionSet
      ? ofSelection(node.selectionSet, field && getNamedType(field.type))
      : nothing;
    const factor = field ? factorOf(field, node, type) : 1;
    return {
      fields: 1,
      cost: 1 + own + inner.cost * factor,
      nodeIds: own + inner.nodeIds,
    };
  };

  const ofSelection = (
    { selections }: SelectionSetNode,
    type: GraphQLNamedType | undefined,
  ): Extent => {
    let extent = nothing;
    for (const node of selections) {
      if (node.kind === Kind.FRAGMENT_SPREAD) {
        extent = beside(extent, ofFragment(node.name.value));
      } else if (node.kind === Kind.INLINE_FRAGMENT) {
        const { typeCondition } = node;
        const inner = typeCondition ? schema.getType(typeCondition.name.value) : type;
        extent = beside(extent, ofSelection(node.selectionSet, inner));
      } else extent = beside(extent, ofField(node, type));
    }
    return extent;
  };

  return (operation: OperationDefinitionNode): Extent => {
    if (values) {
      // The sizes of fragments depend on default values, which differ between operations.
      measured.clear();
      lengthOf = createLengthOf(operation.variableDefinitions ?? [], values);
    }
    const root = schema.getRootType(operation.operation) ?? undefined;
    return ofSelection(operation.selectionSet, root);
  };
};

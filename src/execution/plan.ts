import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLAbstractType,
  type GraphQLField,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNullableType,
  isAbstractType,
  isLeafType,
  isListType,
  isNonNullType,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
} from 'graphql';
import { collectFields, type FieldNodes, type Scope } from './collect.ts';

/** A field's type, taken apart once so that no value needs to ask what kind of type it is. */
export type Shape =
  | { readonly kind: 'leaf'; readonly nullable: boolean; readonly type: GraphQLLeafType }
  | { readonly kind: 'list'; readonly nullable: boolean; readonly item: Shape }
  | { readonly kind: 'object'; readonly nullable: boolean; readonly type: GraphQLObjectType }
  | { readonly kind: 'abstract'; readonly nullable: boolean; readonly type: GraphQLAbstractType };

const shapeOf = (outer: GraphQLOutputType): Shape => {
  const nullable = !isNonNullType(outer);
  const type = getNullableType(outer);
  if (isListType(type)) return { kind: 'list', nullable, item: shapeOf(type.ofType) };
  if (isLeafType(type)) return { kind: 'leaf', nullable, type };
  if (isAbstractType(type)) return { kind: 'abstract', nullable, type };
  return { kind: 'object', nullable, type };
};

/** An object of the response. */
export type Result = Record<string, unknown>;

/** An operation under one set of conditions (`@skip`, `@include`), planned once and executed often. */
export interface OperationPlan {
  readonly operation: OperationDefinitionNode;
  readonly fragments: Readonly<Record<string, FragmentDefinitionNode>>;
  root: Selection | undefined;
  /** Called with the number of fields, each time that a selection has been planned. */
  grow(fields: number): void;
}

/** What planning depends on. */
export interface PlanScope extends Scope {
  readonly plan: OperationPlan;
}

/** What is known of a selected field before any value is there. */
export class FieldPlan {
  readonly key: string;
  readonly name: string;
  /** The first is the one that gives the arguments. */
  readonly node: FieldNode;
  readonly nodes: FieldNodes;
  readonly field: GraphQLField<unknown, unknown>;
  readonly parentType: GraphQLObjectType;
  readonly shape: Shape;
  /** Its type, if it is a leaf for which no resolver or argument is to be asked. */
  readonly leafMember: GraphQLLeafType | undefined;
  readonly #selections = new Map<GraphQLObjectType, Selection>();

  constructor(
    key: string,
    node: FieldNode,
    nodes: FieldNodes,
    field: GraphQLField<unknown, unknown>,
    parentType: GraphQLObjectType,
  ) {
    this.key = key;
    this.name = field.name;
    this.node = node;
    this.nodes = nodes;
    this.field = field;
    this.parentType = parentType;
    this.shape = shapeOf(field.type);
    const isMember = !field.resolve && field.args.length === 0;
    this.leafMember = isMember && this.shape.kind === 'leaf' ? this.shape.type : undefined;
  }

  /**
   * What is selected below it where its value is of the type. It is planned when the first such value
   * arrives: with fragments a document of 2 KB can select a million fields.
   */
  selectionOf(type: GraphQLObjectType, scope: PlanScope): Selection {
    const known = this.#selections.get(type);
    if (known) return known;
    const selection = planSelection(type, this.nodes, scope);
    this.#selections.set(type, selection);
    return selection;
  }
}

/** The fields selected of values of one type. */
export class Selection {
  readonly fields: readonly FieldPlan[];
  readonly #hasProtoKey: boolean;

  constructor(fields: readonly FieldPlan[]) {
    this.fields = fields;
    this.#hasProtoKey = fields.some(({ key }) => key === '__proto__');
  }

  /** An empty result. It has no prototype only where `__proto__` is a key, which would set that. */
  createResult(): Result {
    return this.#hasProtoKey ? Object.create(null) : {};
  }
}

const fieldOf = (schema: GraphQLSchema, type: GraphQLObjectType, name: string) => {
  if (name === TypeNameMetaFieldDef.name) return TypeNameMetaFieldDef;
  if (type === schema.getQueryType()) {
    if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef;
    if (name === TypeMetaFieldDef.name) return TypeMetaFieldDef;
  }
  return type.getFields()[name];
};

/** Whether a field asks for the schema itself. */
export const isIntrospection = (field: GraphQLField<unknown, unknown>): boolean =>
  field === SchemaMetaFieldDef || field === TypeMetaFieldDef;

/** Plans what the nodes select of a type. As in graphql-js, a field that the type lacks is left out. */
export const planSelection = (
  type: GraphQLObjectType,
  nodes: readonly Pick<FieldNode, 'selectionSet'>[],
  scope: PlanScope,
): Selection => {
  const selectionSets = nodes.map(({ selectionSet }) => selectionSet);
  const plans: FieldPlan[] = [];
  for (const [key, fieldNodes] of collectFields(type, selectionSets, scope)) {
    const [node] = fieldNodes;
    const field = fieldOf(scope.schema, type, node.name.value);
    if (field) plans.push(new FieldPlan(key, node, fieldNodes, field, type));
  }
  scope.plan.grow(plans.length);
  return new Selection(plans);
};

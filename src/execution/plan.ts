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
import { collectFields, type FieldNodes, type Scope } from '../graphql/collect.ts';

/** A field's type, analysed once so that no value needs to check the kind of its type. */
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

/** An operation with one set of conditions (`@skip`, `@include`), planned once and executed often. */
export interface OperationPlan {
  readonly operation: OperationDefinitionNode;
  readonly fragments: Readonly<Record<string, FragmentDefinitionNode>>;
  root: Selection | undefined;
  /** Called with the number of new fields, each time a selection is planned. */
  grow(fields: number): void;
}

/** What the planning of a selection depends on. */
export interface PlanScope extends Scope {
  readonly plan: OperationPlan;
}

/** What does not depend on values, for one selected field. */
export class FieldPlan {
  readonly key: string;
  readonly name: string;
  /** The first node, whose arguments count. */
  readonly node: FieldNode;
  readonly nodes: FieldNodes;
  readonly field: GraphQLField<unknown, unknown>;
  readonly parentType: GraphQLObjectType;
  readonly shape: Shape;
  /** The field's type, if the field is a leaf without a resolver and without arguments. */
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
   * The selection below the field for values of this type. It is planned when the first such value arrives, since with
   * fragments a document of 2 KB can select a million fields.
   */
  selectionOf(type: GraphQLObjectType, scope: PlanScope): Selection {
    const known = this.#selections.get(type);
    if (known) return known;
    const selection = planSelection(type, this.nodes, scope);
    this.#selections.set(type, selection);
    return selection;
  }
}

/** The fields selected for values of one type. */
export class Selection {
  readonly fields: readonly FieldPlan[];
  readonly #hasProtoKey: boolean;

  constructor(fields: readonly FieldPlan[]) {
    this.fields = fields;
    this.#hasProtoKey = fields.some(({ key }) => key === '__proto__');
  }

  /** An empty result. It lacks a prototype only if `__proto__` is a key, which would set the prototype otherwise. */
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

/** Whether a field queries the schema itself. */
export const isIntrospection = (field: GraphQLField<unknown, unknown>): boolean =>
  field === SchemaMetaFieldDef || field === TypeMetaFieldDef;

/** Plans the selections of these nodes for a type. As in graphql-js, fields that the type lacks are left out. */
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

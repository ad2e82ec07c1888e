import {
  type FieldNode,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLNamedOutputType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
} from 'graphql';
import { argumentReader, type ReadArguments } from './arguments.ts';
import { collectFields, type FieldNodes } from './collect.ts';
import { type Complete, completerOf } from './complete.ts';
import { serializerOf } from './leaf.ts';
import { asOfParent, memberOf, membersOf, type Variants, variantsOf } from './of-parent.ts';
import type { Run } from './run.ts';
import { Selection } from './selection.ts';

const resolverOfParent = (field: GraphQLField<unknown, unknown>, { name }: GraphQLObjectType) => {
  if (field === TypeNameMetaFieldDef) return () => name;
  return field.args.length === 0 ? asOfParent(field.resolve) : undefined;
};

/** What can be known of a selected field before any value is there. */
export class FieldPlan {
  readonly key: string;
  readonly name: string;
  readonly nodes: FieldNodes;
  readonly field: GraphQLField<unknown, unknown>;
  readonly parentType: GraphQLObjectType;
  /** Absent where the value is simply the parent's member, or made of the parent alone. */
  readonly resolve: GraphQLFieldResolver<unknown, unknown> | undefined;
  readonly resolveOfParent: ((parent: unknown) => unknown) | undefined;
  /** The parent's member that it is, checked by a resolver or not. */
  readonly member: string | undefined;
  /** The parent's members that a resolver looks at, where that is known. */
  readonly members: readonly string[] | undefined;
  readonly variants: Variants | undefined;
  /** What it is for every parent. */
  readonly constant: string | undefined;
  readonly namedType: GraphQLNamedOutputType;
  readonly nullable: boolean;
  readonly complete: Complete;
  /** For a scalar or enum that is simply the parent's member. */
  readonly serializeMember: ((value: unknown) => unknown) | undefined;
  /** Whether a list lies above it, or it is one. */
  readonly #repeats: boolean;
  /** Whether the same object may come along at several places: many alerts have one dashboard. */
  readonly meetsAgain: boolean;
  readonly readArguments: ReadArguments;
  readonly #selections = new Map<GraphQLObjectType, Selection>();

  constructor(
    key: string,
    node: FieldNode,
    nodes: FieldNodes,
    field: GraphQLField<unknown, unknown>,
    parentType: GraphQLObjectType,
    belowList: boolean,
  ) {
    const type = getNullableType(field.type);
    this.key = key;
    this.name = field.name;
    this.nodes = nodes;
    this.field = field;
    this.parentType = parentType;
    this.resolveOfParent = resolverOfParent(field, parentType);
    this.resolve = this.resolveOfParent ? undefined : field.resolve;
    this.member = field.resolve ? memberOf(field.resolve) : field.name;
    this.members = field.resolve && membersOf(field.resolve);
    this.variants = field.resolve && variantsOf(field.resolve);
    this.constant = field === TypeNameMetaFieldDef ? parentType.name : undefined;
    this.namedType = getNamedType(field.type);
    this.nullable = !isNonNullType(field.type);
    this.complete = completerOf(field.type);
    this.serializeMember =
      isLeafType(type) && !field.resolve && field.args.length === 0
        ? serializerOf(type)
        : undefined;
    this.#repeats = belowList || isListType(type);
    this.meetsAgain = belowList && field.resolve !== undefined && isObjectType(type);
    this.readArguments = argumentReader(field, node);
  }

  /** What is selected below it, were its value of the type; made when first needed. */
  selectionOf(type: GraphQLObjectType, run: Run): Selection {
    const known = this.#selections.get(type);
    if (known) return known;
    const selection = planSelection(type, this.nodes, run, this.#repeats);
    this.#selections.set(type, selection);
    return selection;
  }

  /** The same, if it has been needed before. */
  madeSelectionOf(type: GraphQLObjectType): Selection | undefined {
    return this.#selections.get(type);
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

/** Plans what the nodes select of a type. A field that the type does not have is left out. */
export const planSelection = (
  type: GraphQLObjectType,
  nodes: readonly Pick<FieldNode, 'selectionSet'>[],
  run: Run,
  belowList: boolean,
): Selection => {
  const selectionSets = nodes.map(({ selectionSet }) => selectionSet);
  const plans: FieldPlan[] = [];
  for (const [key, fieldNodes] of collectFields(type, selectionSets, run)) {
    const [node] = fieldNodes;
    const field = node && fieldOf(run.schema, type, node.name.value);
    if (field) plans.push(new FieldPlan(key, node, fieldNodes, field, type, belowList));
  }
  run.plan.size += plans.length;
  return new Selection(plans);
};

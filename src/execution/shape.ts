import {
  type GraphQLAbstractType,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNullableType,
  isAbstractType,
  isLeafType,
  isListType,
  isNonNullType,
} from 'graphql';

/** A field's type, taken apart once so that no value needs to ask what kind of type it is. */
export type Shape =
  | { readonly kind: 'leaf'; readonly nullable: boolean; readonly type: GraphQLLeafType }
  | { readonly kind: 'list'; readonly nullable: boolean; readonly item: Shape }
  | { readonly kind: 'object'; readonly nullable: boolean; readonly type: GraphQLObjectType }
  | { readonly kind: 'abstract'; readonly nullable: boolean; readonly type: GraphQLAbstractType };

export const shapeOf = (outer: GraphQLOutputType): Shape => {
  const nullable = !isNonNullType(outer);
  const type = getNullableType(outer);
  if (isListType(type)) return { kind: 'list', nullable, item: shapeOf(type.ofType) };
  if (isLeafType(type)) return { kind: 'leaf', nullable, type };
  if (isAbstractType(type)) return { kind: 'abstract', nullable, type };
  return { kind: 'object', nullable, type };
};

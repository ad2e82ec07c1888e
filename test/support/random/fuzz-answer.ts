import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getOperationAST,
  isCompositeType,
  isEnumType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql';

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isIndex = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 0;

/** Follows a path as far as it goes; gives whether it leads to a null or into one. */
const leadsToNull = (data: unknown, path: readonly unknown[]): boolean => {
  let value: unknown = data;
  for (const key of path) {
    if (value === null) return true;
    if (Array.isArray(value) && isIndex(key)) value = value[Number(key)];
    else if (isRecord(value) && typeof key === 'string' && Object.hasOwn(value, key)) {
      value = value[key];
    } else return false;
  }
  return value === null;
};

const isLocation = (value: unknown): boolean =>
  isRecord(value) && Number(value.line) >= 1 && Number(value.column) >= 1;

const faultOfError = (error: unknown, data: unknown): string | undefined => {
  if (!isRecord(error)) return 'an error is no object';
  const { message, locations, path, extensions, ...rest } = error;
  if (Object.keys(rest).length > 0) return `unknown members of an error: ${Object.keys(rest)}`;
  if (typeof message !== 'string' || message === '') return 'an error without a message';
  if (locations !== undefined && !(Array.isArray(locations) && locations.every(isLocation))) {
    return 'locations of the wrong form';
  }
  if (path !== undefined) {
    if (!Array.isArray(path)) return 'a path that is no list';
    if (!path.every((key) => typeof key === 'string' || isIndex(key)))
      return 'a path of the wrong form';
    if (!leadsToNull(data, path)) return `the path ${path.join('.')} of an error leads to no null`;
  }
  if (!isRecord(extensions)) return 'an error without extensions';
  const { code, requestId } = extensions;
  if (typeof code !== 'string' || !/^[A-Z_]+$/.test(code)) return `no code: ${String(code)}`;
  if (code === 'INTERNAL_SERVER_ERROR') return 'an error of the gateway’s own';
  return typeof requestId === 'string' ? undefined : 'an error without the request’s id';
};

/** What is wrong with an answer as a GraphQL response; nothing where it is well formed. */
export const faultOfBody = (body: unknown): string | undefined => {
  if (!isRecord(body)) return 'the body is no object';
  const { data, errors, extensions, ...rest } = body;
  if (Object.keys(rest).length > 0) return `unknown members: ${Object.keys(rest)}`;
  if (extensions !== undefined && !isRecord(extensions)) return 'extensions are no object';
  if (data === undefined && errors === undefined) return 'neither data nor errors';
  if (data !== undefined && data !== null && !isRecord(data)) return 'data is no object';
  if (data === null && errors === undefined) return 'null without an error';
  if (errors === undefined) return undefined;
  if (!Array.isArray(errors) || errors.length === 0) return 'errors are no list, or empty';
  return errors.map((error) => faultOfError(error, data)).find((fault) => fault !== undefined);
};

const fitsLeaf = (type: GraphQLNamedType, value: unknown): boolean => {
  if (isEnumType(type)) return type.getValue(String(value)) !== undefined;
  switch (type.name) {
    case 'Int':
      return Number.isInteger(value) && Math.abs(Number(value)) <= 2 ** 31;
    case 'SafeInt':
      return Number.isSafeInteger(value);
    case 'Float':
      return typeof value === 'number' && Number.isFinite(value);
    case 'Boolean':
      return typeof value === 'boolean';
    default:
      return typeof value === 'string';
  }
};

/** What in the data does not fit what the document asks of the schema; nothing where all does. */
export const faultOfData = (
  schema: GraphQLSchema,
  document: DocumentNode,
  data: unknown,
): string | undefined => {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const node of document.definitions) {
    if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node);
  }

  interface Candidate {
    readonly node: FieldNode;
    readonly parent: GraphQLNamedType | undefined;
  }

  const candidatesIn = (
    { selections }: SelectionSetNode,
    parent: GraphQLNamedType | undefined,
    key: string,
  ): Candidate[] =>
    selections.flatMap((node): Candidate[] => {
      if (node.kind === Kind.FIELD) {
        return (node.alias ?? node.name).value === key ? [{ node, parent }] : [];
      }
      const fragment =
        node.kind === Kind.FRAGMENT_SPREAD ? fragments.get(node.name.value) : undefined;
      const inner = node.kind === Kind.INLINE_FRAGMENT ? node : fragment;
      if (!inner) return [];
      const type = inner.typeCondition ? schema.getType(inner.typeCondition.name.value) : parent;
      return candidatesIn(inner.selectionSet, type, key);
    });

  const typeOf = ({ node, parent }: Candidate): GraphQLOutputType | undefined =>
    isObjectType(parent) || isInterfaceType(parent)
      ? parent.getFields()[node.name.value]?.type
      : undefined;

  const fits = (value: unknown, type: GraphQLOutputType, nodes: readonly FieldNode[]): boolean => {
    if (isNonNullType(type)) return value !== null && fits(value, type.ofType, nodes);
    if (value === null) return true;
    if (isListType(type)) {
      return Array.isArray(value) && value.every((item) => fits(item, type.ofType, nodes));
    }
    const named = getNamedType(type);
    if (!isCompositeType(named)) return fitsLeaf(named, value);
    if (!isRecord(value)) return false;
    return Object.entries(value).every(([key, member]) => {
      const all = nodes.flatMap(({ selectionSet }) =>
        selectionSet ? candidatesIn(selectionSet, named, key) : [],
      );
      return fitsOne(all, member);
    });
  };

  /** Fields of several types may stand under one key: which of them the value is of, is not told. */
  const fitsOne = (all: readonly Candidate[], value: unknown): boolean =>
    all.some((candidate) => {
      const { name } = candidate.node;
      if (name.value.startsWith('__')) return true;
      const type = typeOf(candidate);
      const alike = all.filter(({ node }) => node.name.value === name.value);
      return (
        type !== undefined &&
        fits(
          value,
          type,
          alike.map(({ node }) => node),
        )
      );
    });

  const operation = getOperationAST(document);
  if (!isRecord(data) || !operation) return undefined;
  const root = schema.getRootType(operation.operation) ?? undefined;
  const wrong = Object.entries(data).find(
    ([key, value]) => !fitsOne(candidatesIn(operation.selectionSet, root, key), value),
  );
  return wrong && `data that does not fit the schema: ${JSON.stringify(wrong).slice(0, 500)}`;
};

import {
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type FragmentSpreadNode,
  type InlineFragmentNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  visit,
} from 'graphql';

const deferName = 'defer';

/**
 * Whether responses to a document may come in parts: it uses `@defer`, and no alias is `then`. Yoga's executor makes
 * the parts, and would take an object with the key `then` for a promise.
 */
export const mayComeInParts = (document: DocumentNode): boolean => {
  let isDeferring = false;
  let hasThen = false;
  visit(document, {
    Directive: ({ name }) => {
      isDeferring ||= name.value === deferName;
    },
    Field: ({ alias }) => {
      hasThen ||= alias?.value === 'then';
    },
  });
  return isDeferring && !hasThen;
};

type FragmentNode = FragmentSpreadNode | InlineFragmentNode;
type Variables = Readonly<Record<string, unknown>>;

const isOn = ({ arguments: given }: DirectiveNode, variables: Variables): boolean => {
  const value = given?.find(({ name }) => name.value === 'if')?.value;
  if (value?.kind === Kind.BOOLEAN) return value.value;
  return value?.kind !== Kind.VARIABLE || variables[value.name.value] !== false;
};

/** Which fields of an operation may come in later parts of the response. */
interface Deferred {
  /** All fields within a fragment with `@defer`. Excludes a field whose fragment is also spread without `@defer`. */
  readonly fields: ReadonlySet<FieldNode>;
  /** The number of fragments with `@defer` directly below a field: each object there has this number of later parts. */
  fragmentsOf(field: FieldNode): number;
}

/** @param variables coerced */
export const findDeferred = (
  { definitions }: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables,
): Deferred => {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const node of definitions) {
    if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node);
  }
  const deferred = new Set<FieldNode>();
  const prompt = new Set<FieldNode>();
  /** Each selection set is visited at most once as deferred and once as not deferred, however often it is spread. */
  const visited = { deferred: new Set<SelectionSetNode>(), prompt: new Set<SelectionSetNode>() };
  const counts = new Map<SelectionSetNode, number>();

  const isDeferred = ({ directives = [] }: FragmentNode): boolean =>
    directives.some((node) => node.name.value === deferName && isOn(node, variables));
  const selectionOf = (node: FragmentNode): SelectionSetNode | undefined =>
    node.kind === Kind.INLINE_FRAGMENT
      ? node.selectionSet
      : fragments.get(node.name.value)?.selectionSet;

  const collect = (set: SelectionSetNode | undefined, isLater: boolean): void => {
    const known = isLater ? visited.deferred : visited.prompt;
    if (!set || known.has(set)) return;
    known.add(set);
    for (const node of set.selections) {
      if (node.kind === Kind.FIELD) {
        (isLater ? deferred : prompt).add(node);
        collect(node.selectionSet, isLater);
      } else collect(selectionOf(node), isLater || isDeferred(node));
    }
  };

  const countIn = (set: SelectionSetNode | undefined): number => {
    if (!set) return 0;
    const known = counts.get(set);
    if (known !== undefined) return known;
    let count = 0;
    for (const node of set.selections) {
      if (node.kind === Kind.FIELD) continue;
      count += (isDeferred(node) ? 1 : 0) + countIn(selectionOf(node));
    }
    counts.set(set, count);
    return count;
  };

  collect(operation.selectionSet, false);
  return {
    fields: deferred.difference(prompt),
    fragmentsOf: ({ selectionSet }) => countIn(selectionSet),
  };
};

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

/** Whether `@defer` stands anywhere in a document. */
export const mentionsDefer = (document: DocumentNode): boolean => {
  let found = false;
  visit(document, {
    Directive: ({ name }) => {
      found ||= name.value === deferName;
    },
  });
  return found;
};

type Variables = Readonly<Record<string, unknown>>;

const isOn = ({ arguments: given }: DirectiveNode, variables: Variables): boolean => {
  const value = given?.find(({ name }) => name.value === 'if')?.value;
  if (value?.kind === Kind.BOOLEAN) return value.value;
  return value?.kind !== Kind.VARIABLE || variables[value.name.value] !== false;
};

/**
 * The fields of an operation that may come in a later part of its response: all within a fragment with `@defer`. A field
 * that stands in a fragment which is spread both with and without it is none of them.
 *
 * @param variables coerced
 */
export const deferredFields = (
  { definitions }: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables,
): ReadonlySet<FieldNode> => {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const node of definitions) {
    if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node);
  }
  const deferred = new Set<FieldNode>();
  const prompt = new Set<FieldNode>();
  /** Each fragment is visited once as deferred and once as prompt, however often it is spread. */
  const visited = { deferred: new Set<string>(), prompt: new Set<string>() };

  const isDeferred = ({ directives = [] }: FragmentSpreadNode | InlineFragmentNode): boolean =>
    directives.some((node) => node.name.value === deferName && isOn(node, variables));

  const collect = ({ selections }: SelectionSetNode, isLater: boolean): void => {
    for (const node of selections) {
      if (node.kind === Kind.FIELD) {
        (isLater ? deferred : prompt).add(node);
        if (node.selectionSet) collect(node.selectionSet, isLater);
      } else if (node.kind === Kind.INLINE_FRAGMENT) {
        collect(node.selectionSet, isLater || isDeferred(node));
      } else spread(node, isLater || isDeferred(node));
    }
  };
  const spread = ({ name: { value: name } }: FragmentSpreadNode, isLater: boolean): void => {
    const known = isLater ? visited.deferred : visited.prompt;
    const fragment = fragments.get(name);
    if (known.has(name) || !fragment) return;
    known.add(name);
    collect(fragment.selectionSet, isLater);
  };

  collect(operation.selectionSet, false);
  return deferred.difference(prompt);
};

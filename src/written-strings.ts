import { type DocumentNode, Kind, OperationTypeNode, type StringValueNode, visit } from 'graphql';

/** Whether an operation of the document is a mutation. */
export const isWriting = ({ definitions }: DocumentNode): boolean =>
  definitions.some(
    (node) =>
      node.kind === Kind.OPERATION_DEFINITION && node.operation === OperationTypeNode.MUTATION,
  );

const stringsIn = (document: DocumentNode): readonly StringValueNode[] => {
  const found: StringValueNode[] = [];
  visit(document, { StringValue: (node) => void found.push(node) });
  return found;
};

/**
 * Whether strings stand in a document that writes. Each may be a secret that should have been a variable, so
 * that nothing of such a document outlives its request. What queries take is no secret.
 */
export const mayHoldSecrets = (document: DocumentNode): boolean =>
  isWriting(document) && stringsIn(document).length > 0;

/** The document's text, with nothing in those strings. */
export const textWithoutSecrets = (document: DocumentNode): string => {
  const text = document.loc?.source.body ?? '';
  if (!isWriting(document)) return text;
  let kept = '';
  let from = 0;
  for (const { loc } of stringsIn(document)) {
    if (!loc) continue;
    kept += `${text.slice(from, loc.start)}""`;
    from = loc.end;
  }
  return kept + text.slice(from);
};

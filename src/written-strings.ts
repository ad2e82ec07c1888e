import { type DocumentNode, Kind, OperationTypeNode } from 'graphql';

/** Whether an operation of the document is a mutation. What queries take is no secret. */
const isWriting = ({ definitions }: DocumentNode): boolean =>
  definitions.some(
    (node) =>
      node.kind === Kind.OPERATION_DEFINITION && node.operation === OperationTypeNode.MUTATION,
  );

const textOf = ({ loc }: DocumentNode): string => loc?.source.body ?? '';

/**
 * Whether strings or comments stand in the text of a valid document that writes. Each string may be a secret that
 * should have been a variable, and a comment may hold one that was tried before: nothing of such a document is to
 * outlive its request.
 */
export const mayHoldSecrets = (document: DocumentNode): boolean =>
  isWriting(document) && /["#]/.test(textOf(document));

/** Strings, of either kind, and comments: no quote and no # stands anywhere else in a valid document. */
const stringsAndComments = /"""(?:\\"""|[\s\S])*?"""|"(?:\\.|[^"\\])*"|#[^\n\r]*/g;

/** The text of a valid document; of one that writes with nothing in its strings, and without comments. */
export const textWithoutSecrets = (document: DocumentNode): string =>
  isWriting(document)
    ? textOf(document).replace(stringsAndComments, (found) => (found.startsWith('#') ? '' : '""'))
    : textOf(document);

import { createHash } from 'node:crypto';
import { type DocumentNode, Kind, OperationTypeNode } from 'graphql';

/** SHA-256 of a text in UTF-8, in lower-case hexadecimal. */
export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Whether an operation of the document is a mutation. What queries take is no secret. */
const isWriting = ({ definitions }: DocumentNode): boolean =>
  definitions.some(
    (node) =>
      node.kind === Kind.OPERATION_DEFINITION && node.operation === OperationTypeNode.MUTATION,
  );

const textOf = ({ loc }: DocumentNode): string => loc?.source.body ?? '';

/**
 * Strings, of either kind, and comments: no quote and no # stands anywhere else in a valid document. A string that
 * is not closed goes on to the end, so that what has been read is never read again.
 */
const stringsAndComments =
  /"""(?:\\"""|[\s\S])*?(?:"""|$)|"(?:\\[\s\S]|[^"\\])*(?:"|\\?$)|#[^\n\r]*/g;

const isComment = (found: string): boolean => found.startsWith('#');

/** Whether a quote stands in a comment. It may be of a mutation that is not to be sent just now. */
const hasQuotingComment = (text: string): boolean =>
  text.includes('#') &&
  (text.match(stringsAndComments) ?? []).some((found) => isComment(found) && found.includes('"'));

/**
 * Whether strings or comments stand in the text of a valid document that writes, or quotes in the comments of any
 * other. Each string may be a secret that should have been a variable, and a comment may hold one that was tried
 * before: nothing of such a document is to outlive its request.
 */
export const mayHoldSecrets = (document: DocumentNode): boolean =>
  isWriting(document) ? /["#]/.test(textOf(document)) : hasQuotingComment(textOf(document));

/** The text of a valid document; of one that may hold secrets without comments and, if it writes, strings. */
export const textWithoutSecrets = (document: DocumentNode): string => {
  if (!mayHoldSecrets(document)) return textOf(document);
  const writes = isWriting(document);
  return textOf(document).replace(stringsAndComments, (found) => {
    if (isComment(found)) return '';
    return writes ? '""' : found;
  });
};

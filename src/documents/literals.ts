import { createHash } from 'node:crypto';
import { type DocumentNode, Kind, OperationTypeNode } from 'graphql';

/** SHA-256 of a text in UTF-8, in lower-case hexadecimal. */
export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Whether the document has a mutation. Values in queries are not secrets. */
const isWriting = ({ definitions }: DocumentNode): boolean =>
  definitions.some(
    (node) =>
      node.kind === Kind.OPERATION_DEFINITION && node.operation === OperationTypeNode.MUTATION,
  );

const textOf = ({ loc }: DocumentNode): string => loc?.source.body ?? '';

/**
 * Matches strings of both kinds, and comments: quotes and # occur nowhere else in a valid document. An unterminated
 * string extends to the end, so the text is scanned only once.
 */
const stringsAndComments =
  /"""(?:\\"""|[\s\S])*?(?:"""|$)|"(?:\\[\s\S]|[^"\\])*(?:"|\\?$)|#[^\n\r]*/g;

const isComment = (found: string): boolean => found.startsWith('#');

/** Whether a comment has a quote. Such a comment may hold a mutation that is commented out. */
const hasQuotingComment = (text: string): boolean =>
  text.includes('#') &&
  (text.match(stringsAndComments) ?? []).some((found) => isComment(found) && found.includes('"'));

/**
 * Whether the text of a valid document may hold secrets: in strings and comments of a mutation, or in comments with
 * quotes of another document. A string may be a secret that should have been a variable, and a comment may hold such a
 * string. These documents must not outlive their requests.
 */
export const mayHoldSecrets = (document: DocumentNode): boolean =>
  isWriting(document) ? /["#]/.test(textOf(document)) : hasQuotingComment(textOf(document));

/** The text of a valid document. If it may hold secrets, comments are removed and, for mutations, strings too. */
export const textWithoutSecrets = (document: DocumentNode): string => {
  if (!mayHoldSecrets(document)) return textOf(document);
  const writes = isWriting(document);
  return textOf(document).replace(stringsAndComments, (found) => {
    if (isComment(found)) return '';
    return writes ? '""' : found;
  });
};

export type { TypedDocumentNode } from './document-node.ts';
export * from './generated/document-nodes.ts';

import type { DocumentNode } from 'graphql';
import type { Documents } from '../documents/documents.ts';
import type { GatewayPlugin } from './plugin.ts';

/** Parses, validates and limits documents by the gateway's cache of them, which keeps none that may hold a secret. */
export const useDocuments = (documents: Documents): GatewayPlugin => ({
  onParse: ({ setParseFn }) => setParseFn((source: string) => documents.parse(source)),
  onValidate: ({ setValidationFn }) =>
    setValidationFn((_: unknown, document: DocumentNode) => documents.validate(document)),
});

import {
  concatAST,
  type DocumentNode,
  print,
  separateOperations,
  stripIgnoredCharacters,
} from 'graphql';

const suffixes = { query: 'Query', mutation: 'Mutation', subscription: 'Subscription' } as const;

const isOperation = (definition: DocumentNode['definitions'][number]) =>
  definition.kind === 'OperationDefinition';

/** The name of the type of an operation's data. */
export const resultTypeOf = (name: string, document: DocumentNode): string => {
  const operation = document.definitions.find(isOperation);
  if (!operation || name === '') throw new Error('Every operation needs a name');
  return name + suffixes[operation.operation];
};

const declaration = ([name, document]: readonly [string, DocumentNode]): string => {
  const result = resultTypeOf(name, document);
  const text = JSON.stringify(stripIgnoredCharacters(print(document)));
  return [
    `export const ${name}Document: TypedDocumentString<${result}, ${result}Variables> =`,
    `  /*#__PURE__*/ new TypedDocumentString(${text});`,
  ].join('\n');
};

/**
 * Writes `XDocument` for each operation, with the fragments it needs, beside the types of
 * typescript-operations. The generator's own plugin for this, typed-document-node, writes a class with
 * `any` into the file, and a type of a package that a user of ours would then have to install.
 */
export const plugin = (
  _schema: unknown,
  files: readonly { readonly document?: DocumentNode; readonly type?: string }[],
): { readonly prepend: string[]; readonly content: string } => {
  const all = concatAST(files.flatMap(({ document }) => document ?? []));
  // Files that are external only lend their fragments.
  const own = concatAST(
    files.flatMap(({ document, type }) => (type === 'external' ? [] : (document ?? []))),
  );
  const names = Object.keys(separateOperations(own));
  return {
    prepend: ["import { TypedDocumentString } from '../document.ts';"],
    content: Object.entries(separateOperations(all))
      .filter(([name]) => names.includes(name))
      .map(declaration)
      .join('\n\n'),
  };
};

import { concatAST, type DocumentNode, Kind, separateOperations, visit } from 'graphql';
import { resultTypeOf } from './documents.ts';

/** Lists that may be absent; those of a literal, `values` and `fields`, have to be there even if they are empty. */
const optional: readonly string[] = ['arguments', 'directives', 'variableDefinitions'];

/** Without places in the text, and without empty lists. */
const literal = (node: unknown): string =>
  JSON.stringify(node, (key, value) =>
    key === 'loc' || (optional.includes(key) && value.length === 0) ? undefined : value,
  );

const definition = (node: DocumentNode['definitions'][number]): string =>
  node.kind === Kind.FRAGMENT_DEFINITION ? `${node.name.value}Fragment` : literal(node);

const declaration = ([name, document]: readonly [string, DocumentNode]): string => {
  const result = resultTypeOf(name, document);
  const definitions = document.definitions.map(definition).join(', ');
  return [
    `export const ${name}Document: TypedDocumentNode<Types.${result}, Types.${result}Variables> =`,
    `  { kind: 'Document', definitions: [${definitions}] } as never;`,
  ].join('\n');
};

/**
 * Writes `XDocument` for each operation as a parsed document, for clients that take no text. Documents share
 * their fragments. They are written as `never`, since graphql-js's kinds are an enum, which no literal is assignable to.
 */
export const plugin = (
  _schema: unknown,
  files: readonly { readonly document?: DocumentNode }[],
): { readonly prepend: string[]; readonly content: string } => {
  const all = concatAST(files.flatMap(({ document }) => document ?? []));
  const fragments: string[] = [];
  visit(all, {
    FragmentDefinition: (node) => {
      fragments.push(`const ${node.name.value}Fragment = ${literal(node)};`);
    },
  });
  return {
    prepend: [
      "import type { TypedDocumentNode } from '../document-node.ts';",
      "import type * as Types from './operations.ts';",
    ],
    content: [...fragments, ...Object.entries(separateOperations(all)).map(declaration)].join(
      '\n\n',
    ),
  };
};

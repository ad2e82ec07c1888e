import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { concatAST, type DocumentNode, parse, print, separateOperations } from 'graphql';
import { graphiqlStart } from '../../sandbox/graphiql.ts';
import { credentials } from '../../sandbox/world/credentials.ts';
import { world } from '../../sandbox/world/ids.ts';

const folder = fileURLToPath(new URL('../../operations/', import.meta.url));
const read = (path: string): string => readFileSync(`${folder}${path}`, 'utf8');

/** JSON objects by name. */
type Variables = Readonly<Record<string, unknown>>;

/** The files of operations/, by their paths in it. */
export const files: ReadonlyMap<string, DocumentNode> = new Map(
  globSync('**/*.graphql', { cwd: folder })
    .sort()
    .map((path) => [path, parse(read(path))]),
);

/** Each operation of operations/ with the fragments that it needs, by its name. */
export const documents: Readonly<Record<string, DocumentNode>> = separateOperations(
  concatAST([...files.values()]),
);

/** What `operations/variables.json` has, by the name of an operation. */
export const samples: Readonly<Record<string, Variables>> = JSON.parse(read('variables.json'));

/** Whether an operation is a subscription, which is answered by a stream of events. */
export const isSubscription = (name: string): boolean =>
  documents[name]?.definitions.some(
    (each) => each.kind === 'OperationDefinition' && each.operation === 'subscription',
  ) === true;

/** The names of the variables that an operation declares. */
export const declaredBy = (name: string): readonly string[] =>
  (documents[name]?.definitions ?? []).flatMap((definition) =>
    definition.kind === 'OperationDefinition'
      ? (definition.variableDefinitions ?? []).map(({ variable }) => variable.name.value)
      : [],
  );

const identifiers: Variables = graphiqlStart({ credentials, world, fleetSize: 0 }).variables;

/** The sample variables of an operation; where it has none of its own, the demo's identifiers. */
export const variablesOf = (name: string): Variables =>
  samples[name] ??
  Object.fromEntries(declaredBy(name).map((variable) => [variable, identifiers[variable]]));

/** The text of an operation, with the fragments that it needs. */
export const textOf = (name: string): string => {
  const document = documents[name];
  if (!document) throw new Error(`operations/ has no operation ${name}`);
  return print(document);
};

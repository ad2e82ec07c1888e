import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isObject } from '../src/is-object.ts';
import { root } from './root.ts';
import { typeNamesOf } from './type-names.ts';

/*
 * The files that put others together by their names: they import all modules of a folder, so that a new file is found without
 * being named anywhere. They are written before all other generated files, which come from them.
 */

interface Module {
  /** The name of the file, without its ending. */
  readonly name: string;
  readonly exports: Readonly<Record<string, unknown>>;
}

const modulesOf = async (folder: string): Promise<readonly Module[]> => {
  const names = globSync(`${folder}/*.ts`, { cwd: root })
    .map((path) => basename(path, '.ts'))
    .filter((name) => name !== 'index')
    .sort();
  return Promise.all(
    names.map(async (name) => ({
      name,
      exports: await import(pathToFileURL(`${root}${folder}/${name}.ts`).href),
    })),
  );
};

const variableOf = (name: string): string =>
  name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Throws if two modules have a member of the same name. */
const requireApart = (
  folder: string,
  kind: string,
  modules: readonly (readonly [file: string, members: readonly string[]])[],
): void => {
  const seen = new Map<string, string>();
  for (const [file, members] of modules) {
    for (const member of members) {
      const other = seen.get(member);
      if (other) {
        throw new Error(`${folder}/${other}.ts and ${file}.ts both have the ${kind} ${member}.`);
      }
      seen.set(member, file);
    }
  }
};

const importsOf = (modules: readonly Module[]): string =>
  modules.map(({ name }) => `import * as ${variableOf(name)} from './${name}.ts';`).join('\n');

const resolversFolder = 'src/resolvers';
const roots = ['Query', 'Mutation'];

const resolverIndex = async (): Promise<string> => {
  const types = typeNamesOf(globSync(`${root}schema/*.graphql`));
  const modules = (await modulesOf(resolversFolder)).filter(({ exports }) =>
    Object.keys(exports).some((name) => types.has(name)),
  );
  const lineOf = (type: string): string => {
    const found = modules.filter(({ exports }) => type in exports);
    requireApart(
      resolversFolder,
      'resolver of',
      found.map(({ name, exports }) => {
        const fields = exports[type];
        return [
          name,
          isObject(fields) ? Object.keys(fields).map((field) => `${type}.${field}`) : [],
        ];
      }),
    );
    const parts = found.map(({ name }) => `${variableOf(name)}.${type}`);
    return parts.length === 1
      ? `  ${type}: ${parts[0]},`
      : `  ${type}: {\n${parts.map((part) => `    ...${part},`).join('\n')}\n  },`;
  };
  const others = [...types]
    .filter((type) => !roots.includes(type) && modules.some(({ exports }) => type in exports))
    .sort();
  return `// Written by \`npm run generate\`: the exports of this folder that have the names of types.
import type { MutationResolvers, QueryResolvers, Resolvers } from '../generated/schema.ts';
${importsOf(modules)}

/** Every root field: a root field of the SDL without a resolver does not compile. */
const roots: { Query: Required<QueryResolvers>; Mutation: Required<MutationResolvers> } = {
${roots.map(lineOf).join('\n')}
};

export const resolvers: Resolvers = {
  ...roots,
${others.map(lineOf).join('\n')}
};
`;
};

const rowsIndex = (folder: string) => async (): Promise<string> => {
  const modules = (await modulesOf(folder)).filter(({ exports }) => isObject(exports.rows));
  requireApart(
    folder,
    'row',
    modules.map(({ name, exports }) => [name, Object.keys(exports.rows as object)]),
  );
  const imports = modules.map(
    ({ name }) => `import { rows as ${variableOf(name)} } from './${name}.ts';`,
  );
  return `// Written by \`npm run generate\` from the files of this folder.
${imports.join('\n')}

/** The rows of all subjects: one for each operation. */
export const rows = {
${modules.map(({ name }) => `  ...${variableOf(name)},`).join('\n')}
};
`;
};

const rowsFolders = ['management', 'observability'].map((name) => `src/upstream/${name}/rows`);

/** The files by their paths, in the order in which they have to be written: resolvers import rows. */
export const indices: readonly (readonly [path: string, make: () => Promise<string>])[] = [
  ...rowsFolders.map((folder) => [`${folder}/index.ts`, rowsIndex(folder)] as const),
  [`${resolversFolder}/index.ts`, resolverIndex],
];

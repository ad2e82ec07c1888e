import { globSync, readFileSync } from 'node:fs';
import type { CodegenConfig } from '@graphql-codegen/cli';
import { typeNamesOf } from './operations/type-names.ts';
import * as inputEnums from './src/resolvers/input-enums.ts';

/** The types that files export by names with this ending: the name without it, and the place. */
const exportedTypes = (files: string, ending: string): ReadonlyMap<string, string> => {
  const found = new Map<string, string>();
  for (const path of globSync(files).sort()) {
    const pattern = new RegExp(`^export (?:type|interface) (\\w+)${ending}\\b`, 'gm');
    for (const [, name = ''] of readFileSync(path, 'utf8').matchAll(pattern)) {
      const other = found.get(name);
      if (other) throw new Error(`${path} and ${other} both export ${name}${ending}.`);
      found.set(name, `${path}#${name}${ending}`);
    }
  }
  return found;
};

const parents = [
  exportedTypes('src/resolvers/*.ts', 'Mapper'),
  exportedTypes('src/upstream/*/**/*.ts', 'Record'),
];

/** The parent of each type: `XMapper` of a resolver file, or else `XRecord` of a row file; a type with neither has the fields of the SDL. */
const mappers = Object.fromEntries(
  [...typeNamesOf(globSync('schema/*.graphql'))].flatMap((name) => {
    const place = parents.map((types) => types.get(name)).find((each) => each !== undefined);
    return place === undefined ? [] : [[name, place.replace(/^src/, '..')]];
  }),
);

const config: CodegenConfig = {
  schema: 'schema/*.graphql',
  generates: {
    'src/generated/schema.ts': {
      plugins: ['typescript', 'typescript-resolvers'],
      config: {
        useTypeImports: true,
        importExtension: '.ts',
        emitLegacyCommonJSImports: false,
        enumsAsTypes: true,
        strictScalars: true,
        scalars: { ID: 'string', DateTime: 'string', SafeInt: 'number' },
        immutableTypes: true,
        maybeValue: 'T | null | undefined',
        inputMaybeValue: 'T | null | undefined',
        contextType: '../request/context.ts#Context',
        makeResolverTypeCallable: true,
        optionalResolveType: true,
        mapperTypeSuffix: 'Type',
        enumValues: { ...inputEnums },
        mappers,
      },
    },
  },
};

export default config;

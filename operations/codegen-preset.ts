import { globSync, readFileSync } from 'node:fs';
import * as inputEnums from '../src/resolvers/input-enums.ts';
import { typeNamesOf } from './type-names.ts';

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

/** The parent of each type: `XMapper` of a resolver file, or else `XRecord` of a row file; a type with neither has the fields of the SDL. */
const parents = (): Readonly<Record<string, string>> => {
  const places = [
    exportedTypes('src/resolvers/*.ts', 'Mapper'),
    exportedTypes('src/upstream/*/**/*.ts', 'Record'),
  ];
  return Object.fromEntries(
    [...typeNamesOf(globSync('schema/*.graphql'))].flatMap((name) => {
      const place = places.map((types) => types.get(name)).find((each) => each !== undefined);
      return place === undefined ? [] : [[name, place.replace(/^src/, '..')]];
    }),
  );
};

/** What graphql-codegen hands to a preset and takes back, as far as this one needs it. */
interface PresetOptions {
  readonly baseOutputDir: string;
  readonly config: object;
}

/** Adds to `codegen.yml` what follows from names: the parents of types, and the values of input enums. */
export const preset = {
  buildGeneratesSection: (options: PresetOptions) => [
    {
      ...options,
      filename: options.baseOutputDir,
      config: { ...options.config, mappers: parents(), enumValues: { ...inputEnums } },
    },
  ],
};

import { readFileSync } from 'node:fs';
import { parse } from 'graphql';

/** The names of all types that files of the SDL define or extend. */
export const typeNamesOf = (paths: readonly string[]): ReadonlySet<string> =>
  new Set(
    paths.flatMap((path) =>
      parse(readFileSync(path, 'utf8')).definitions.flatMap((definition) =>
        /Type(Definition|Extension)$/.test(definition.kind) && 'name' in definition
          ? [definition.name?.value ?? '']
          : [],
      ),
    ),
  );

import { createSchema } from '../gateway/schema.ts';
import { sdlOf, sdlWith } from '../schema/sdl.ts';

/** The text of `sluice schema`: the whole schema, or what these profiles have of it. */
export const schemaText = (profiles: readonly string[]): string => {
  const schema = createSchema();
  return profiles.length === 0 ? sdlOf(schema) : sdlWith(schema, profiles);
};

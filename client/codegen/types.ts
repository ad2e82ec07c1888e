import { plugin as operations } from '@graphql-codegen/typescript-operations';

/**
 * Writes the types of typescript-operations but for `Incremental`: it exports this one for all to see,
 * though it means it for its own use, and no operation here has need of it.
 */
export const plugin: typeof operations = async (...call) => {
  const { prepend = [], ...rest } = await operations(...call);
  return { ...rest, prepend: prepend.filter((lines) => !lines.includes('type Incremental<')) };
};

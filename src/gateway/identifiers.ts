import { settings } from '../config/settings.ts';
import type { Config } from '../config.ts';
import { SchemaError } from '../schema/reads.ts';

/** The values of the settings that directives of the schema name as identifiers. Throws for one that has no text. */
export const identifiersFrom = (
  names: ReadonlySet<string>,
  config: Config,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...names].map((name) => {
      const [member] = Object.entries(settings).find(([, setting]) => setting.name === name) ?? [];
      const value = member === undefined ? undefined : config[member as keyof typeof settings];
      if (typeof value === 'string') return [name, value];
      throw new SchemaError(
        `schema/ takes an identifier from ${name}, which is no setting with a text.`,
      );
    }),
  );

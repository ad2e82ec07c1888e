import { readdir, readFile } from 'node:fs/promises';

/** A tab of GraphiQL as it is first shown. */
export interface GraphiqlTab {
  readonly query: string;
  /** JSON, with comments if need be. */
  readonly variables?: string;
}

const folder = new URL('./operations/', import.meta.url);

// No identifier has blanks in it, so that an operation sent with one of these is refused before any call.
const placeholders: Readonly<Record<string, string | number>> = {
  organizationId: '<id of an organization>',
  serviceId: '<id of a service>',
  pipeId: '<id of a pipe>',
  alertId: '<id of an alert>',
  threshold: 100,
};

/** The variables that an operation declares, for the caller to fill in. */
const variablesOf = (query: string): string | undefined => {
  const names = [...query.matchAll(/\$(\w+):/g)].map(([, name = '']) => name);
  const values = [...new Set(names)].map((name) => [name, placeholders[name] ?? null]);
  return values.length === 0 ? undefined : JSON.stringify(Object.fromEntries(values), null, 2);
};

/** One tab for each thing that the gateway is most used for, with variables where identifiers go. */
export const readTabs = async (): Promise<readonly GraphiqlTab[]> => {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.graphql')).sort();
  const queries = await Promise.all(names.map((name) => readFile(new URL(name, folder), 'utf8')));
  return queries.map((query) => {
    const variables = variablesOf(query);
    return { query, ...(variables !== undefined && { variables }) };
  });
};

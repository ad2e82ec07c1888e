import { readdir, readFile } from 'node:fs/promises';

/** A tab of GraphiQL as it is first shown. */
export interface GraphiqlTab {
  readonly query: string;
  /** JSON. */
  readonly variables?: string;
}

/** A value for each variable that the operations of the tabs declare. */
export interface TabVariables {
  readonly organizationId: string;
  readonly serviceId: string;
  readonly pipeId: string;
  readonly alertId: string;
  readonly threshold: number;
}

/**
 * For the caller to fill in. No identifier has blanks in it, so that an operation sent with one of these is
 * refused before any call.
 */
export const placeholders: TabVariables = {
  organizationId: '<id of an organization>',
  serviceId: '<id of a service>',
  pipeId: '<id of a pipe>',
  alertId: '<id of an alert>',
  threshold: 100,
};

const folder = new URL('./operations/', import.meta.url);

/** Of the values, those of the variables that a document declares. */
const variablesOf = (query: string, values: TabVariables): string | undefined => {
  const known = new Map<string, string | number>(Object.entries(values));
  const names = [...query.matchAll(/\$(\w+):/g)].map(([, name = '']) => name);
  const declared = [...new Set(names)].map((name) => [name, known.get(name) ?? null]);
  return declared.length === 0 ? undefined : JSON.stringify(Object.fromEntries(declared), null, 2);
};

/** One tab for each thing that the gateway is most used for, with variables where identifiers go. */
export const readTabs = async (values: TabVariables): Promise<readonly GraphiqlTab[]> => {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.graphql')).sort();
  const queries = await Promise.all(names.map((name) => readFile(new URL(name, folder), 'utf8')));
  return queries.map((query) => {
    const variables = variablesOf(query, values);
    return { query, ...(variables !== undefined && { variables }) };
  });
};

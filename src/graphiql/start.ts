import { readFile } from 'node:fs/promises';

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
  readonly dashboardId: string;
}

/**
 * For the caller to fill in. No identifier has blanks in it, so that an operation sent with one of these is
 * refused before any call.
 */
export const placeholders: TabVariables = {
  organizationId: '<id of an organization>',
  serviceId: '<id of a service>',
  pipeId: '<id of a pipe>',
  dashboardId: '<id of a dashboard>',
};

const folder = new URL('../../operations/screens/', import.meta.url);

/** The files of the tabs, from left to right: in a window of 1000 pixels no more than four have room. */
const names = ['look-around', 'services-with-pipes', 'one-pipe', 'board-with-alerts'];

/** Of the values, those of the variables that a document declares. */
const variablesOf = (query: string, values: TabVariables): string | undefined => {
  const known = new Map<string, string>(Object.entries(values));
  const used = [...query.matchAll(/\$(\w+):/g)].map(([, name = '']) => name);
  const declared = [...new Set(used)].map((name) => [name, known.get(name) ?? null]);
  return declared.length === 0 ? undefined : JSON.stringify(Object.fromEntries(declared), null, 2);
};

/** What people look at first, a tab each, with variables where identifiers go. */
export const readTabs = async (values: TabVariables): Promise<readonly GraphiqlTab[]> => {
  const queries = await Promise.all(
    names.map((name) => readFile(new URL(`${name}.graphql`, folder), 'utf8')),
  );
  return queries.map((query) => {
    const variables = variablesOf(query, values);
    return { query, ...(variables !== undefined && { variables }) };
  });
};

/** What the headers pane says of a header. Its lines hold 55 characters. */
interface Explained {
  readonly name: string;
  readonly about: readonly string[];
  /** How to come by a value, and what stands in its place until then. */
  readonly missing?: { readonly about: readonly string[]; readonly value: string };
}

const credentials: readonly Explained[] = [
  {
    name: 'Management-Authorization',
    about: ['For organizations, services, pipes and keys:'],
    missing: {
      about: [
        'For organizations, services, pipes and keys. Make it by',
        "printf %s 'KEY_ID:KEY_SECRET' | openssl base64 -A",
      ],
      // A credential has no blank in it, so that this is refused before any call.
      value: 'Basic <what it prints>',
    },
  },
  {
    name: 'Observability-Authorization',
    about: ['For dashboards and alerts:'],
    missing: { about: ['For dashboards and alerts:'], value: 'Bearer <access token>' },
  },
];

const explained: readonly Explained[] = [
  ...credentials,
  { name: 'Sluice-Explain', about: ['Lists the upstream calls below each answer:'] },
];

const opening = {
  given: ['Sent with every operation, from every tab.'],
  missing: [
    'Your credentials: sent from every tab, stored nowhere.',
    'Take the // away from a header and fill in its value.',
  ],
};

const comments = (lines: readonly string[]): string[] => lines.map((line) => `  // ${line}`);

const member = (name: string, value: string): string =>
  `${JSON.stringify(name)}: ${JSON.stringify(value)},`;

/**
 * What the headers pane holds at first: JSON with comments, which GraphiQL takes. The credentials are
 * explained; those that are not given are commented out, so that nothing is sent in their place.
 */
export const headersText = (given: Readonly<Record<string, string>>): string => {
  const names = new Set(explained.map(({ name }) => name));
  const others = Object.keys(given).filter((name) => !names.has(name));
  const all = [...explained, ...others.map((name): Explained => ({ name, about: [] }))];
  const lines = all.flatMap(({ name, about, missing }) => {
    const value = given[name];
    if (value !== undefined) return [...comments(about), `  ${member(name, value)}`];
    return missing ? comments([...missing.about, member(name, missing.value)]) : [];
  });
  const isGiven = credentials.some(({ name }) => given[name] !== undefined);
  return ['{', ...comments(isGiven ? opening.given : opening.missing), ...lines, '}'].join('\n');
};

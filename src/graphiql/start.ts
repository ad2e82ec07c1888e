import { readFile } from 'node:fs/promises';

/** The initial content of a tab of GraphiQL. */
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
  /** The service with the ClickStack; absent if dashboards and alerts are not below a service. */
  readonly service?: Pick<TabVariables, 'organizationId' | 'serviceId'>;
}

/** To be replaced by the user. No identifier contains spaces, so an operation with a placeholder is refused at once. */
const ofService = { organizationId: '<id of an organization>', serviceId: '<id of a service>' };

export const placeholdersFor = (hasOneKey: boolean): TabVariables => ({
  ...ofService,
  pipeId: '<id of a pipe>',
  dashboardId: '<id of a dashboard>',
  ...(hasOneKey && { service: ofService }),
});

const folder = new URL('../../operations/screens/', import.meta.url);

/** The files of the tabs, from left to right. */
const namesFor = (hasOneKey: boolean): readonly string[] => [
  hasOneKey ? 'look-around-in-services' : 'look-around',
  'services-with-pipes',
  'one-pipe',
  'board-with-alerts',
  'board-in-parts',
  'alerts-live',
  'new-dashboard',
  'new-pipe',
];

/** The values of the variables that a document declares. */
const variablesOf = (query: string, values: TabVariables): string | undefined => {
  const known = new Map(Object.entries(values));
  const used = [...query.matchAll(/\$(\w+):/g)].map(([, name = '']) => name);
  const declared = [...new Set(used)]
    .filter((name) => name !== 'service' || values.service)
    .map((name) => [name, known.get(name) ?? null]);
  return declared.length === 0 ? undefined : JSON.stringify(Object.fromEntries(declared), null, 2);
};

/** The queries that people run first, one for each tab, with variables for identifiers. */
export const readTabs = async (values: TabVariables): Promise<readonly GraphiqlTab[]> => {
  const queries = await Promise.all(
    namesFor(values.service !== undefined).map((name) =>
      readFile(new URL(`${name}.graphql`, folder), 'utf8'),
    ),
  );
  return queries.map((query) => {
    const variables = variablesOf(query, values);
    return { query, ...(variables !== undefined && { variables }) };
  });
};

/** The explanation of a header in the headers pane, which has room for 54 characters a line at 1280 pixels. */
interface Explained {
  readonly name: string;
  readonly about: readonly string[];
  /** How to get a value, and the placeholder until then. */
  readonly missing?: { readonly about: readonly string[]; readonly value: string };
}

const keyFor = (given: string, missing: string): Explained => ({
  name: 'Management-Authorization',
  about: [`For ${given}:`],
  missing: {
    about: [`For ${missing}. Make it by`, "printf %s 'KEY_ID:KEY_SECRET' | openssl base64 -A"],
    // A credential contains no spaces, so this is refused before any upstream call.
    value: 'Basic <what it prints>',
  },
});

const token: Explained = {
  name: 'Observability-Authorization',
  about: ['For dashboards and alerts:'],
  missing: { about: ['For dashboards and alerts:'], value: 'Bearer <access token>' },
};

const twoKeys: readonly Explained[] = [
  keyFor('organizations, services, pipes and keys', 'organizations, services and pipes'),
  token,
];
const oneKey: readonly Explained[] = [keyFor('all fields', 'all fields')];

const explain: Explained = {
  name: 'Sluice-Explain',
  about: ['Lists the upstream calls below each answer:'],
};

const opening = {
  given: ['Sent with every operation, from every tab.'],
  missing: [
    'Your credentials, for all tabs; stored nowhere.',
    'Remove the // before a header, and fill it in.',
  ],
};

const comments = (lines: readonly string[]): string[] => lines.map((line) => `  // ${line}`);

const member = (name: string, value: string): string =>
  `${JSON.stringify(name)}: ${JSON.stringify(value)},`;

/**
 * The initial content of the headers pane: JSON with comments, which GraphiQL accepts. Each credential is explained.
 * Headers without a value are commented out, so that no placeholder is sent.
 *
 * @param hasOneKey whether the management credential counts for both upstreams
 */
export const headersText = (
  given: Readonly<Record<string, string>>,
  hasOneKey: boolean,
): string => {
  const credentials = hasOneKey ? oneKey : twoKeys;
  const explained = [...credentials, explain];
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

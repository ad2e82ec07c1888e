import { passwordDocument, passwordInput, serviceIds } from './secret-operations.ts';

/** A request that is refused for what it is, by a gateway that hides its schema. */
export interface Refused {
  readonly title: string;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** What of the schema a hint would name. */
  readonly hints?: readonly string[];
}

const query = (title: string, document: string, hints: readonly string[] = []): Refused => ({
  title,
  body: { query: document },
  hints,
});

const withInput = (title: string, input: unknown): Refused => ({
  title,
  body: { query: passwordDocument, variables: { input } },
});

export const refused: readonly Refused[] = [
  query('a misspelt root field', '{ organisation { name } }', ['organization', 'organizations']),
  query('a misspelt field', '{ alerts { nam thresholdTyp } }', ['"name"', '"thresholdType"']),
  query('a misspelt field of an entity', '{ organizations { servics { id } } }', ['"services"']),
  query('a misspelt mutation', 'mutation { createPip { pipe { id } } }', ['"createPipe"']),
  query('a misspelt argument', '{ alerts(filtr: {}) { id } }', ['"filter"']),
  query('a misspelt member', '{ alerts(filter: {stat: "x"}) { id } }', ['"state"']),
  query('a misspelt enum value', '{ alerts(filter: {source: TIL}) { id } }', ['"TILE"', 'SEARCH']),
  query('an enum value in quotes', '{ alerts(filter: {source: "TILE"}) { id } }', ['SEARCH']),
  query('a misspelt type of a variable', 'query ($f: AlertFiltr) { alerts { id } }', [
    '"AlertFilter"',
  ]),
  query('a misspelt type of a fragment', '{ alerts { ...x } } fragment x on Alrt { id }', [
    '"Alert"',
  ]),
  query('a misspelt inline fragment', '{ alerts { ... on Alrt { id } } }', ['"Alert"']),
  query('a misspelt directive', '{ alerts { id @skp(if: true) } }', ['"skip"', '@skip']),
  query(
    'a misspelt fragment',
    '{ alerts { ...alertFrgment } } fragment alertFragment on Alert { id }',
    ['Did'],
  ),
  query('a field of a union', '{ node(nodeId: "x") { name } }', ['Organization', 'Dashboard']),
  query('no selection', '{ alerts }', ['{ ... }']),
  query('introspection', '{ __schema { types { name } } }', ['AlertFilter']),
  query('introspection of a type', '{ __type(name: "Alert") { fields { name } } }', ['threshold']),
  {
    title: 'a misspelt member in variables',
    body: {
      query: 'query ($f: AlertFilter) { alerts(filter: $f) { id } }',
      variables: { f: { stat: 'cnry' } },
    },
    hints: ['"state"'],
  },
  {
    title: 'a misspelt enum value in variables',
    body: {
      query: 'query ($f: AlertFilter) { alerts(filter: $f) { id } }',
      variables: { f: { source: 'TIL' } },
    },
    hints: ['"TILE"', 'SEARCH'],
  },
  withInput('a secret in a misspelt member of variables', {
    ...serviceIds,
    newPasswordHsh: passwordInput.newPasswordHash,
  }),
  withInput('a secret in place of the variables', 'cnry-in-place'),
  withInput('a secret that is deep in variables', { ...serviceIds, newPasswordHash: [['cnry']] }),
  withInput('a secret among the identifiers', { ...passwordInput, serviceId: { a: 'cnry' } }),
  query('a syntax error before a secret', 'mutation { updateServicePassword(input: { "cnry" }) }'),
  query('a syntax error after a secret', 'mutation { a(input: {newPasswordHash: "cnry"}) { '),
  query('a text of a secret that does not end', '{ alerts(filter: {state: "cnry'),
  query('a block of a secret that does not end', '{ alerts(filter: {state: """cnry'),
  query('an odd character after a secret', '{ alerts(filter: {state: "cnry"}) { id } } \u0000 %'),
  query('a bad escape within a secret', '{ alerts(filter: {state: "cnry\\q cnry"}) { id } }'),
  query('an empty document', ''),
  {
    title: 'an unknown operation',
    body: { query: 'query A { __typename }', operationName: 'cnry' },
  },
  { title: 'a body that is no JSON', body: '{"query": "{ alerts }", "variables": {"a": "cnry' },
  { title: 'a body that is a text', body: '"cnry"' },
  { title: 'a list of operations', body: [{ query: '{ __typename }', variables: { a: 'cnry' } }] },
  { title: 'an unknown parameter', body: { query: '{ __typename }', surprise: 'cnry' } },
  { title: 'a document that is an object', body: { query: { a: 'cnry' } } },
  { title: 'variables that are a text', body: { query: '{ __typename }', variables: 'cnry' } },
  {
    title: 'extensions of a hash that nobody knows',
    body: { extensions: { persistedQuery: { version: 1, sha256Hash: 'cnry' } } },
  },
  { title: 'a document that nobody knows', body: { documentId: 'cnry' } },
  {
    title: 'too deep a document',
    body: {
      query: `{ service(organizationId: "cnry", serviceId: "cnry") ${'{ organization { service(id: "cnry") '.repeat(8)}{ name }${' } }'.repeat(8)} }`,
    },
  },
  {
    title: 'too many tokens',
    body: { query: `{ alerts(filter: {state: "cnry"}) { ${'id '.repeat(3000)} } }` },
  },
  {
    title: 'too large a body',
    body: { query: '{ __typename }', variables: { a: 'cnry'.repeat(100_000) } },
  },
  {
    title: 'a bad credential',
    body: { query: '{ alerts { id } organizations { id } }' },
    headers: {
      'management-authorization': 'Basic cnry cnry',
      'observability-authorization': 'Digest cnry',
    },
  },
  {
    title: 'an unknown media type',
    body: 'query=%7B+alerts+%7D&cnry=cnry',
    headers: { 'content-type': 'application/x-cnry' },
  },
  {
    title: 'an unknown coding',
    body: { query: '{ __typename }' },
    headers: { 'content-encoding': 'gzip' },
  },
];

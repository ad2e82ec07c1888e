import { Kind, parse, print, separateOperations } from 'graphql';

/** The members of the rows in test/operations/table.ts that the collection uses. */
type Rows = Readonly<
  Record<string, { readonly variables: object; readonly profile?: string | undefined }>
>;

/** Expects an answer without errors and refusals. The list of tests says which operation failed and why. */
const script = [
  'const answer = pm.response.json();',
  'const refusals = Object.values(answer.data ?? {}).flatMap((field) => field?.userErrors ?? []);',
  'pm.test("has no errors", () => pm.expect(answer.errors ?? refusals).to.eql([]));',
];

const headers = [
  { key: 'Management-Authorization', value: '{{management}}' },
  { key: 'Observability-Authorization', value: '{{observability}}' },
];

/** For a gateway where the management credential counts for both interfaces: an empty header would be refused. */
const oneKey = 'clickstack-cloud';

const request = (query: string, variables: object, profile: string | undefined) => ({
  method: 'POST',
  url: '{{url}}',
  header: profile === oneKey ? headers.slice(0, 1) : headers,
  body: { mode: 'graphql', graphql: { query, variables: JSON.stringify(variables, null, 2) } },
});

/** The queries and mutations of some documents as a Postman collection (v2.1), with values that work in the demo. */
export const postmanCollection = (documents: Iterable<string>, rows: Rows): string => {
  const texts = separateOperations(parse([...documents].join('\n')));
  const isStream = (text: string): boolean =>
    parse(text).definitions.some(
      (each) => each.kind === Kind.OPERATION_DEFINITION && each.operation === 'subscription',
    );
  // In the order of the rows, since a row may build on what the rows above it have changed.
  const items = Object.entries(rows).flatMap(([name, { variables, profile }]) => {
    const document = texts[name];
    const text = document && print(document);
    if (text === undefined || isStream(text)) return [];
    return [{ name, profile, request: request(text, variables, profile) }];
  });
  const folder = (name: string, of?: string) => ({
    name,
    item: items.flatMap(({ profile, ...item }) => (profile === of ? [item] : [])),
  });
  const collection = {
    info: {
      name: 'Sluice',
      description: 'The operations of operations/, written by `npm run generate`.',
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    item: [
      folder('Documented interfaces'),
      folder('Only with the profiles of live services', 'live'),
      folder('Only with ClickStack in Cloud, without the observability header', oneKey),
    ],
    event: [{ listen: 'test', script: { type: 'text/javascript', exec: script } }],
    variable: [
      { key: 'url', value: 'http://127.0.0.1:4000/graphql' },
      { key: 'management', value: 'Basic ZGVtby1hZG1pbi1rZXk6ZGVtby1hZG1pbi1zZWNyZXQ=' },
      { key: 'observability', value: 'Bearer demo-main-token' },
    ],
  };
  return `${JSON.stringify(collection, null, 2)}\n`;
};

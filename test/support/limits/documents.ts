import { Lexer, Source, TokenKind } from 'graphql';
import { encodeNodeId } from '../../../src/schema/node-id.ts';
import { withIds } from '../world/ids.ts';

const organization = withIds('organization(id: "organization-1")');
const service = withIds('service(id: "service-1")');
const nodeId = JSON.stringify(encodeNodeId('Organization', withIds('organization-1')));
const rename = withIds(
  'updateOrganization(input: {organizationId: "organization-1", name: "a"}) { organization { name } }',
);

const repeat = (count: number, unit: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => unit(index)).join(' ');

/** Fields one within the other, the innermost being the name of an organization or of a service. */
const nested = (depth: number): string => {
  const parents = [organization];
  while (parents.length < depth - 1) {
    parents.push(parents.length % 2 === 1 ? service : 'organization');
  }
  return depth === 1 ? '__typename' : `${parents.join(' { ')} { name ${'} '.repeat(depth - 1)}`;
};

/** Selections with what they cost: lists of three, two and no levels. */
const priced = [
  [
    4111,
    'organizations { services { pipes { scaling { replicas } settings { engineMaxThreads } destination { table } service { name } } } }',
  ],
  [111, 'organizations { services { endpoints { host } } }'],
  [11, 'organizations { privateEndpoints { id } }'],
  [1, `${organization} { name }`],
] as const;

const costing = (cost: number): string => {
  let left = cost;
  return priced
    .flatMap(([price, selection]) => {
      const count = Math.floor(left / price);
      left -= count * price;
      return Array.from({ length: count }, () => selection);
    })
    .join(' ');
};

/** Root selections of queries that come to just so much of what a limit counts. */
export const queriesOf = {
  depth: nested,
  aliases: (count: number) => `${organization} { ${repeat(count, (index) => `a${index}: name`)} }`,
  rootFields: (count: number) => repeat(count, (index) => `r${index}: ${organization} { name }`),
  directives: (count: number) =>
    `${organization} { ${repeat(count, () => 'name @include(if: true)')} }`,
  cost: costing,
  nodeIds: (count: number) =>
    `nodes(nodeIds: [${repeat(count, () => nodeId)}]) { ... on Organization { name } }`,
} as const;

export const mutationsOf = (count: number): string =>
  repeat(count, (index) => `m${index}: ${rename}`);

/** Words, signs and values, as the specification counts them: neither comments nor commas. */
export const tokensIn = (document: string): number => {
  const lexer = new Lexer(new Source(document));
  let count = 0;
  while (lexer.advance().kind !== TokenKind.EOF) count += 1;
  return count;
};

export type Root = 'Query' | 'Mutation';

/** Makes the document in which an operation `Asked` is asked for; `selection` stands in it somewhere. */
type Form = (selection: string, root: Root) => string;

/** Every way in which selections may come into a document. */
export const forms: Readonly<Record<string, Form>> = {
  'the operation itself': (selection, root) => `${root.toLowerCase()} Asked { ${selection} }`,
  'a named fragment': (selection, root) =>
    `${root.toLowerCase()} Asked { ...F } fragment F on ${root} { ${selection} }`,
  'an inline fragment': (selection, root) =>
    `${root.toLowerCase()} Asked { ... on ${root} { ${selection} } }`,
  'an inline fragment without a type': (selection, root) =>
    `${root.toLowerCase()} Asked { ... { ${selection} } }`,
  'nested fragments': (selection, root) =>
    `fragment C on ${root} { ${selection} } fragment A on ${root} { ... on ${root} { ...B } }
     ${root.toLowerCase()} Asked { ... { ...A } } fragment B on ${root} { ... { ...C } }`,
  'the operation that is chosen by its name': (selection, root) =>
    `query Other { __typename } ${root.toLowerCase()} Asked { ${selection} }`,
  'an operation that is not asked for': (selection, root) =>
    `query Asked { __typename } ${root.toLowerCase()} Other { ${selection} }`,
  'fragments of an operation that is not asked for': (selection, root) =>
    `query Asked { __typename } ${root.toLowerCase()} Other { ...F } fragment F on ${root} { ... { ${selection} } }`,
};

/** A document of that form and of exactly so many tokens. */
export const documentOfTokens = (form: Form, count: number): string => {
  const selection = `${organization} { name }`;
  const missing = count - tokensIn(form(selection, 'Query'));
  return form(`${selection} ${'__typename '.repeat(missing)}`, 'Query');
};

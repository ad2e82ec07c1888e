import type { Stack } from '../harness.ts';
import { asJson, read, write } from './operations.ts';
import { type Sending, sendSized, type Way, ways } from './requests.ts';

/** A request and what kind of answer it gets. */
export interface AnswerKind {
  readonly title: string;
  readonly status: number;
  /** Whether GraphQL answers, and not a page or a probe. */
  readonly graphql: boolean;
  readonly path: string;
  readonly way: Way;
  readonly sending: Sending;
}

const posted = (body: string, headers: Readonly<Record<string, string>> = {}): Sending => ({
  method: 'POST',
  headers: { ...asJson, ...headers },
  body,
});

const document = (query: string): string => JSON.stringify({ query });

const responseJson = { accept: 'application/graphql-response+json' };

const posts: readonly (readonly [title: string, status: number, sending: Sending])[] = [
  ['a result', 200, posted(document(read))],
  ['a result of a mutation', 200, posted(document(write))],
  ['a result in application/graphql-response+json', 200, posted(document(read), responseJson)],
  ['a stream of events', 200, posted(document(read), { accept: 'text/event-stream' })],
  ['a multipart answer', 200, posted(document(read), { accept: 'multipart/mixed' })],
  ['a syntax error', 200, posted(document('{'))],
  ['a syntax error in application/graphql-response+json', 400, posted(document('{'), responseJson)],
  ['an unknown field', 200, posted(document('{ nothing }'))],
  [
    'a request without credentials',
    200,
    { ...posted(document(read)), headers: { 'content-type': 'application/json' } },
  ],
  ['a body that is not JSON', 400, posted('{"')],
  ['a body without a query', 400, posted('{}')],
  ['an empty body', 400, posted('')],
  ['a body above the limit', 413, posted(document(`{ __typename }${' '.repeat(300_000)}`))],
  ['a body of another type', 415, posted(document(read), { 'content-type': 'text/plain' })],
  ['a type that nobody can answer', 406, posted(document(read), { accept: 'image/png' })],
];

const inUrl = (query: string): string => `/graphql?${new URLSearchParams({ query })}`;
const asked = { accept: 'application/json' };

const others: readonly (readonly [
  title: string,
  status: number,
  path: string,
  sending: Sending,
  graphql?: true,
])[] = [
  ['a result of GET', 200, inUrl('{ __typename }'), { headers: asked }, true],
  ['a mutation by GET', 405, inUrl(write), { headers: asked }, true],
  ['PUT', 405, '/graphql', { method: 'PUT', headers: asJson, body: document(read) }, true],
  ['DELETE', 405, '/graphql', { method: 'DELETE' }, true],
  ['the page of GraphiQL', 200, '/graphql', { headers: { accept: 'text/html' } }],
  ['another path', 404, '/elsewhere', {}],
  ['another path by POST', 404, '/graphql/more', posted(document(read))],
  ['GET /healthz', 200, '/healthz', {}],
  ['GET /readyz', 200, '/readyz', {}],
];

/** One request for every kind of answer that there is, with every framing of a body where there is one. */
export const answerKinds: readonly AnswerKind[] = [
  ...posts.flatMap(([title, status, sending]) =>
    ways.map(([name, way]) => ({
      title: `${title}, to ${name}`,
      status,
      graphql: true,
      path: '/graphql',
      way,
      sending,
    })),
  ),
  ...others.map(([title, status, path, sending, graphql = false]) => ({
    title,
    status,
    graphql,
    path,
    way: sendSized,
    sending,
  })),
];

/** Sends it, with more headers where there are more. */
export const answerOf = (
  stack: Pick<Stack, 'url'>,
  { way, path, sending }: AnswerKind,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> =>
  way(new URL(path, stack.url), { ...sending, headers: { ...sending.headers, ...headers } });

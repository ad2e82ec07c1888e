import type { Pool } from 'undici';

/** The `accept` header of each client. */
const accepts = {
  fetch: '*/*',
  'Apollo Client 4': 'application/graphql-response+json,application/json;q=0.9',
  urql: 'application/graphql-response+json, application/graphql+json, application/json, text/event-stream, multipart/mixed',
  'graphql-request': 'application/graphql-response+json, application/json',
  '@sluice/client': 'application/graphql-response+json, application/json',
} as const;
export type ClientName = keyof typeof accepts;
export const clientNames = Object.keys(accepts) as readonly ClientName[];

export type Headers = Readonly<Record<string, string>>;

/**
 * The headers of a client in Node, including those that `fetch` adds, with a caller's credentials: one for each interface, or
 * one key for both.
 */
export const headersOf = (client: ClientName, caller: number, hasOneKey = false): Headers => ({
  'content-type': 'application/json',
  accept: accepts[client],
  'accept-language': '*',
  'sec-fetch-mode': 'cors',
  'user-agent': 'node',
  'accept-encoding': 'gzip, deflate',
  'management-authorization': `Basic ${Buffer.from(`bench-key-${caller}:secret`).toString('base64')}`,
  ...(!hasOneKey && {
    'observability-authorization': `Bearer bench-token-${String(caller).padStart(32, '0')}`,
  }),
});

/** Sends one GraphQL request. */
export const post = async (
  pool: Pool,
  headers: Headers,
  body: string,
): Promise<{ readonly status: number; readonly text: string }> => {
  const answer = await pool.request({ method: 'POST', path: '/graphql', headers, body });
  return { status: answer.statusCode, text: await answer.body.text() };
};

import { type CallerMode, callers } from './credentials.ts';

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

/** The client whose headers all servers get. */
export const mainClient: ClientName = 'Apollo Client 4';

/** The headers of a client in Node: its own and those that Node's `fetch` adds to every request. */
const headersOf = (client: ClientName): readonly string[] => [
  'content-type',
  'application/json',
  'accept',
  accepts[client],
  'accept-language',
  '*',
  'sec-fetch-mode',
  'cors',
  'user-agent',
  'node',
  'accept-encoding',
  'gzip, deflate',
];

const headers = new Map(
  clientNames.map((client) => [
    client,
    callers.map((credentials) => [...headersOf(client), ...credentials]),
  ]),
);

/** The headers of one request, with the credentials of the caller whose turn it is. */
export const requestHeaders = (
  client: ClientName,
  mode: CallerMode,
  index: number,
): readonly string[] => {
  const found = headers.get(client)?.[mode === 'same' ? 0 : index % callers.length];
  if (!found) throw new RangeError(`There is no caller ${index}`);
  return found;
};

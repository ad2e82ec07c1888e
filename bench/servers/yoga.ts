import { createServer } from 'node:http';
import { useDeferStream } from '@graphql-yoga/plugin-defer-stream';
import DataLoader from 'dataloader';
import { createYoga } from 'graphql-yoga';
import { createSchema } from './schema.ts';
import { backendUrl, type Call, createRead, headersOf, listen } from './upstream.ts';

/** Plain Yoga with `@defer`: Node's fetch, and a DataLoader by path, so that a request reads each path once. */

const call: Call = async (path, authorization, body) => {
  const method = body === undefined ? 'GET' : 'PATCH';
  const headers = headersOf(authorization);
  const answer = await fetch(backendUrl + path, { method, headers, body: body ?? null });
  if (!answer.ok) throw new Error(`the upstream answered ${answer.status}`);
  return answer.json();
};

const yoga = createYoga({
  schema: createSchema(),
  graphiql: false,
  landingPage: false,
  plugins: [useDeferStream()],
  context: ({ request }) => {
    const read = createRead((name) => request.headers.get(name), call);
    const loader = new DataLoader<string, unknown>((paths) =>
      // A failed read must not fail the other reads of the batch.
      Promise.all(paths.map((path) => read(path).catch((error: unknown) => error))),
    );
    return {
      read: (path: string, change?: object) => (change ? read(path, change) : loader.load(path)),
    };
  },
});

createServer(yoga).listen(listen);

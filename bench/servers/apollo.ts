import { RESTDataSource } from '@apollo/datasource-rest';
import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';
import { type Context, createSchema } from './schema.ts';
import { backendUrl, type Call, createRead, headersOf, listen } from './upstream.ts';

/** Apollo Server with a RESTDataSource, which merges equal reads of a request. */

class Upstream extends RESTDataSource {
  override baseURL = backendUrl;

  readonly call: Call = (path, authorization, body) => {
    const headers = headersOf(authorization);
    return body === undefined ? this.get(path, { headers }) : this.patch(path, { headers, body });
  };
}

const server = new ApolloServer<Context>({ schema: createSchema() });

await startStandaloneServer(server, {
  listen,
  context: async ({ req }) => {
    const { call } = new Upstream({ cache: server.cache });
    return { read: createRead((name) => req.headers[name], call) };
  },
});

import { type DataSourceConfig, RESTDataSource } from '@apollo/datasource-rest';
import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';
import { paths } from '../backend/paths.ts';
import { credentialsOf, host, managementUrl, observabilityUrl, port } from './environment.ts';
import type { Reads } from './reads.ts';
import { createSchema } from './schema.ts';

/** Apollo Server, with a RESTDataSource an upstream; it shares equal reads of a request by itself. */

class UpstreamSource extends RESTDataSource {
  override baseURL: string;
  readonly #authorization: string | undefined;

  constructor(baseUrl: string, authorization: string | undefined, config: DataSourceConfig) {
    super(config);
    this.baseURL = baseUrl;
    this.#authorization = authorization;
  }

  override willSendRequest(_: string, request: { headers: Record<string, string> }): void {
    if (this.#authorization === undefined) throw new Error('no credential');
    request.headers.authorization = this.#authorization;
  }

  async result<Result>(path: string): Promise<Result> {
    return (await this.get<{ result: Result }>(path)).result;
  }

  async data<Data>(path: string): Promise<Data> {
    return (await this.get<{ data: Data }>(path)).data;
  }

  async change<Result>(path: string, body: object): Promise<Result> {
    return (await this.patch<{ result: Result }>(path, { body })).result;
  }
}

const server = new ApolloServer<{ reads: Reads }>({ schema: createSchema() });

await startStandaloneServer(server, {
  listen: { port: port(), host },
  context: async ({ req }) => {
    const credentials = credentialsOf((name) => req.headers[name]);
    const config = { cache: server.cache };
    const management = new UpstreamSource(managementUrl(), credentials.management, config);
    const observability = new UpstreamSource(observabilityUrl(), credentials.observability, config);
    const reads: Reads = {
      organization: (organizationId) => management.result(paths.organization(organizationId)),
      services: (organizationId) => management.result(paths.services(organizationId)),
      service: (organizationId, serviceId) =>
        management.result(paths.service(organizationId, serviceId)),
      backupConfiguration: (organizationId, serviceId) =>
        management.result(paths.backupConfiguration(organizationId, serviceId)),
      pipes: (organizationId, serviceId) =>
        management.result(paths.pipes(organizationId, serviceId)),
      invitations: (organizationId) => management.result(paths.invitations(organizationId)),
      alerts: () => observability.data(paths.alerts),
      alert: (id) => observability.data(paths.alert(id)),
      dashboards: () => observability.data(paths.dashboards),
      dashboard: (id) => observability.data(paths.dashboard(id)),
      command: ({ organizationId, serviceId, pipeId }, command) =>
        management.change(paths.pipeState(organizationId, serviceId, pipeId), { command }),
    };
    return { reads };
  },
});

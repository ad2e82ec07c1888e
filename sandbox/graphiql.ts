import type { Sandbox } from './server.ts';

/** What GraphiQL starts with in the demo, so that each of its tabs runs as it is. */
export const graphiqlStart = ({ credentials, world }: Pick<Sandbox, 'credentials' | 'world'>) => {
  const { organizationId, services, pipes } = world.management.main;
  return {
    headers: {
      'Management-Authorization': credentials.management.admin.header,
      'Observability-Authorization': credentials.observability.main.header,
      'Sluice-Explain': '1',
    },
    variables: {
      organizationId,
      serviceId: services.production,
      pipeId: pipes.orders,
      dashboardId: world.observability.main.dashboards.api,
    },
  };
};

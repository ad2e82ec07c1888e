import type { Sandbox } from './server.ts';
import { fleetKey, fleetStart } from './world/fleet.ts';

/** What GraphiQL starts with in the demo, so that each of its tabs runs as it is: on the fleet, where there is one. */
export const graphiqlStart = ({
  credentials,
  world,
  fleetSize,
}: Pick<Sandbox, 'credentials' | 'world' | 'fleetSize'>) => {
  const { organizationId, services, pipes } = world.management.main;
  const main = { organizationId, serviceId: services.production, pipeId: pipes.orders };
  const [key, start] =
    fleetSize > 0 ? [fleetKey, fleetStart] : [credentials.management.admin, main];
  return {
    headers: {
      'Management-Authorization': key.header,
      'Observability-Authorization': credentials.observability.main.header,
      'Sluice-Explain': '1',
    },
    variables: { ...start, dashboardId: world.observability.main.dashboards.api },
  };
};

import type { Sandbox } from './server.ts';
import { fleetKey, fleetStart } from './world/fleet.ts';

/** Initial content of GraphiQL in the demo, so that each tab runs unchanged: with the fleet, if there is one. */
export const graphiqlStart = ({
  credentials,
  world,
  fleetSize,
  profile,
}: Pick<Sandbox, 'credentials' | 'world' | 'fleetSize' | 'profile'>) => {
  const { organizationId, services, pipes } = world.management.main;
  const main = { organizationId, serviceId: services.production, pipeId: pipes.orders };
  const isBelow = profile === 'clickstack-cloud';
  // The fleet has no ClickStack.
  const isOfFleet = fleetSize > 0 && !isBelow;
  const [key, start] = isOfFleet ? [fleetKey, fleetStart] : [credentials.management.admin, main];
  return {
    headers: {
      'Management-Authorization': key.header,
      ...(!isBelow && {
        'Observability-Authorization': credentials.observability.main.header,
      }),
      'Sluice-Explain': '1',
    },
    variables: {
      ...start,
      dashboardId: world.observability.main.dashboards.api,
      ...(isBelow && { service: { organizationId, serviceId: services.production } }),
    },
  };
};

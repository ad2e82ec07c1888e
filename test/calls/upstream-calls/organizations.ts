import { numbers } from '../../support/world/worlds.ts';
import { type OperationGroup, organization, service, sizes } from './case.ts';

const belowEachService = numbers(sizes.services).flatMap((number) => [
  `GET ${service(number)}/pipes`,
  `GET ${service(number)}/backupConfiguration`,
]);

const pipesOfEachService = numbers(sizes.services).map((number) => `GET ${service(number)}/pipes`);

export const organizations: OperationGroup = {
  title: 'Organizations',
  cases: [
    {
      title: 'One organization',
      operation: `{
  organization(id: "organization-1") {
    name
  }
}`,
      calls: [`GET ${organization}`],
      rounds: 1,
      bound: 'Only the upstream knows the name.',
    },
    {
      title: 'Several organizations by their identifiers',
      operation: `{
  first: organization(id: "organization-1") { name }
  second: organization(id: "organization-2") { name }
}`,
      calls: ['GET /v1/organizations'],
      rounds: 1,
      bound: 'The one list answers both, and without a call neither is known.',
    },
    {
      title: 'An organization of 10 services with all that it runs',
      operation: `{
  organization(id: "organization-1") {
    name
    services {
      name
      pipes { name }
      backupConfiguration { backupPeriodInHours }
    }
    invitations { email }
  }
}`,
      calls: [
        `GET ${organization}`,
        `GET ${organization}/services`,
        `GET ${organization}/invitations`,
        ...belowEachService,
      ],
      rounds: 2,
      bound:
        'Pipes and backups can be read only for one service at a time, so 10 services take 20 calls, besides the three of the organization. Their paths hold identifiers that only the list of services has.',
    },
    {
      title: 'What the services of an organization run, and nothing of the organization itself',
      operation: `{
  organization(id: "organization-1") {
    services {
      pipes { name }
      backupConfiguration { backupPeriodInHours }
    }
  }
}`,
      calls: [`GET ${organization}/services`, ...belowEachService],
      rounds: 2,
      bound:
        'The 20 paths below the services are known only after the list of services. The organization itself is not read.',
    },
    {
      title: 'The pipes of all services in one list',
      operation: `{
  organization(id: "organization-1") {
    name
    pipes {
      totalCount
      items { name service { name organization { name } } }
      unreadServices { code }
    }
  }
}`,
      calls: [`GET ${organization}`, `GET ${organization}/services`, ...pipesOfEachService],
      rounds: 2,
      bound:
        'Pipes can be listed only for one service at a time, and only the list of services says which there are. It also answers the relation back to them.',
    },
    {
      title: 'The same pipes below their services, filtered and counted',
      operation: `{
  organization(id: "organization-1") {
    serviceCount(filter: { nameContains: "1" })
    services(filter: { nameContains: "1" }) { name }
    all: services { pipes { name } }
    pipes { totalCount }
    stopped: pipes(filter: { phaseIn: STOPPED }) { totalCount items { name } }
  }
}`,
      calls: [`GET ${organization}/services`, ...pipesOfEachService],
      rounds: 2,
      bound:
        'One list of services and one list of pipes for each service answer every filter, and every way to the pipes.',
    },
    {
      title: 'Every organization with its services',
      operation: `{
  organizations {
    name
    services { name organization { name } }
  }
}`,
      calls: [
        'GET /v1/organizations',
        `GET ${organization}/services`,
        'GET /v1/organizations/organization-2/services',
      ],
      rounds: 2,
      bound:
        'Services can be listed only for one organization at a time, and only the list of organizations says which there are. It also answers the relation back to them.',
    },
    {
      title: 'One service and the invitations',
      operation: `{
  organization(id: "organization-1") {
    service(id: "service-1") { name }
    invitations { email }
  }
}`,
      calls: [`GET ${service(1)}`, `GET ${organization}/invitations`],
      rounds: 1,
      bound: 'No operation answers both resources. Both paths are known from the arguments.',
    },
    {
      title: 'A service that is also in the list',
      operation: `{
  organization(id: "organization-1") {
    services { name }
    service(id: "service-3") { numReplicas }
  }
}`,
      calls: [`GET ${organization}/services`],
      rounds: 1,
      bound: 'The list has to be read in any case, and answers the single service as well.',
    },
    {
      title: 'Relations of a service of which nothing else is selected',
      operation: `{
  organization(id: "organization-1") {
    name
    service(id: "service-1") {
      pipes { name }
    }
  }
}`,
      calls: [`GET ${organization}`, `GET ${service(1)}/pipes`],
      rounds: 1,
      bound:
        'No operation answers both resources. Both paths are known from the arguments, however deep the field is.',
    },
    {
      title: 'What lies beside a pipe, through the service above it',
      operation: `{
  pipe(organizationId: "organization-1", serviceId: "service-1", pipeId: "pipe-1") {
    name
    service {
      backupConfiguration { backupPeriodInHours }
    }
  }
}`,
      calls: [`GET ${service(1)}/pipes/pipe-1`, `GET ${service(1)}/backupConfiguration`],
      rounds: 1,
      bound:
        'No operation answers both resources. Both paths are known from the arguments of the pipe.',
    },
    {
      title: 'A service, and its neighbours through the organization above it',
      operation: `{
  service(organizationId: "organization-1", serviceId: "service-1") {
    name
    organization {
      services { name }
      invitations { email }
    }
  }
}`,
      calls: [`GET ${organization}/services`, `GET ${organization}/invitations`],
      rounds: 1,
      bound:
        'The list and the invitations are two resources. The list also has the service, so that needs no call of its own.',
    },
    {
      title: 'Several services of which one does not exist',
      operation: `{
  organization(id: "organization-1") {
    first: service(id: "service-1") { name }
    gone: service(id: "service-99") { name }
  }
}`,
      calls: [`GET ${organization}/services`, `GET ${service(99)}`],
      rounds: 2,
      errors: [['organization.gone', 'NOT_FOUND']],
      bound:
        'A list may be incomplete. A service that is missing from it may still exist, so the gateway asks for it alone. One list answers all the others.',
    },
  ],
};

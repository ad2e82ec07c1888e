import { type OperationGroup, organization, service } from './case.ts';

export const services: OperationGroup = {
  title: 'Services and pipes by their identifiers',
  cases: [
    {
      title: 'One service',
      operation: `{
  service(organizationId: "organization-1", serviceId: "service-1") {
    name
  }
}`,
      calls: [`GET ${service(1)}`],
      rounds: 1,
      bound: 'Only the upstream knows the name.',
    },
    {
      title: 'A service with its pipes and its backups',
      operation: `{
  service(organizationId: "organization-1", serviceId: "service-1") {
    name
    pipes { name state }
    backupConfiguration { backupPeriodInHours }
  }
}`,
      calls: [
        `GET ${service(1)}`,
        `GET ${service(1)}/pipes`,
        `GET ${service(1)}/backupConfiguration`,
      ],
      rounds: 1,
      bound:
        'No operation answers two of the three resources. All three paths are known from the arguments, so one round is enough.',
    },
    {
      title: 'Only the pipes of a service',
      operation: `{
  service(organizationId: "organization-1", serviceId: "service-1") {
    pipes { name }
  }
}`,
      calls: [`GET ${service(1)}/pipes`],
      rounds: 1,
      bound:
        'Only the upstream knows the pipes. Nothing of the service itself is selected, so it is not read.',
    },
    {
      title: 'Identifiers only',
      operation: `{
  organization(id: "organization-1") { id nodeId }
  service(organizationId: "organization-1", serviceId: "service-1") {
    __typename
    id
    organizationId
    organization { id }
  }
  alert(id: "alert-1") { id }
}`,
      calls: [],
      rounds: 0,
      bound: 'No call is needed: the arguments hold all that is selected.',
    },
    {
      title: 'A pipe by its identifier, and what it belongs to',
      operation: `{
  pipe(
    organizationId: "organization-1"
    serviceId: "service-1"
    pipeId: "pipe-1"
  ) {
    name
    service {
      name
      organization { name }
    }
  }
}`,
      calls: [`GET ${service(1)}/pipes/pipe-1`, `GET ${service(1)}`, `GET ${organization}`],
      rounds: 1,
      bound:
        'No operation answers two of the three resources. All three paths are known from the arguments.',
    },
    {
      title: 'One pipe through its service',
      operation: `{
  service(organizationId: "organization-1", serviceId: "service-1") {
    pipe(id: "pipe-2") { id phase availableCommands }
  }
}`,
      calls: [`GET ${service(1)}/pipes/pipe-2`],
      rounds: 1,
      bound: 'Only the upstream knows the state. Of the service only its identifier is needed.',
    },
    {
      title: 'Two pipes of one service',
      operation: `{
  service(organizationId: "organization-1", serviceId: "service-1") {
    first: pipe(id: "pipe-1") { name }
    second: pipe(id: "pipe-2") { name }
  }
}`,
      calls: [`GET ${service(1)}/pipes`],
      rounds: 1,
      bound: 'The one list answers both pipes, and without a call neither is known.',
    },
    {
      title: 'Several services of one organization',
      operation: `{
  organization(id: "organization-1") {
    first: service(id: "service-1") { name }
    third: service(id: "service-3") { numReplicas }
  }
  again: service(organizationId: "organization-1", serviceId: "service-7") { name }
}`,
      calls: [`GET ${organization}/services`],
      rounds: 1,
      bound:
        'The one list answers all three services, wherever in the operation they are asked for.',
    },
    {
      title: 'One list of pipes under several filters',
      operation: `query Pipes($named: PipeFilter!) {
  service(organizationId: "organization-1", serviceId: "service-1") {
    running: pipes(filter: { state: "Running" }) { name }
    failed: pipes(filter: { phaseIn: [FAILED, UNKNOWN] }) { name }
    kafka: pipes(filter: { source: KAFKA }) { name }
    named: pipes(filter: $named) { name }
    all: pipes { name }
  }
}`,
      variables: { named: { nameContains: 'pipe 2' } },
      calls: [`GET ${service(1)}/pipes`],
      rounds: 1,
      bound:
        'The upstream sends the list whole and the gateway filters it, so one call answers every filter.',
    },
    {
      title: 'The source of each pipe, by fragments on the union',
      operation: `query Sources {
  service(organizationId: "organization-1", serviceId: "service-1") {
    pipes {
      source {
        __typename
        ...Kafka
        ... on ObjectStorageSource { url }
      }
    }
  }
}

fragment Kafka on KafkaSource { topics }`,
      calls: [`GET ${service(1)}/pipes`],
      rounds: 1,
      bound: 'A pipe comes with its source, so one list answers all.',
    },
    {
      title: 'Fields left out by @skip and @include',
      operation: `query Short($details: Boolean!, $short: Boolean!) {
  service(organizationId: "organization-1", serviceId: "service-1") {
    name @include(if: $details)
    pipes { name }
    backupConfiguration @skip(if: $short) { backupPeriodInHours }
    ... @include(if: $details) {
      organization { name }
    }
  }
}`,
      variables: { details: false, short: true },
      calls: [`GET ${service(1)}/pipes`],
      rounds: 1,
      bound: 'The directives leave only the list of pipes, which only the upstream knows.',
    },
    {
      title: 'The same operation with nothing left out',
      operation: `query Short($details: Boolean!, $short: Boolean!) {
  service(organizationId: "organization-1", serviceId: "service-1") {
    name @include(if: $details)
    pipes { name }
    backupConfiguration @skip(if: $short) { backupPeriodInHours }
    ... @include(if: $details) {
      organization { name }
    }
  }
}`,
      variables: { details: true, short: false },
      calls: [
        `GET ${service(1)}`,
        `GET ${service(1)}/pipes`,
        `GET ${service(1)}/backupConfiguration`,
        `GET ${organization}`,
      ],
      rounds: 1,
      bound:
        'No operation answers two of the four resources. All four paths are known from the arguments.',
    },
  ],
};

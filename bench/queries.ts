import { graphql } from 'graphql';
import { createSchema } from './servers/schema.ts';
import type { Read } from './servers/upstream.ts';
import { alertId, count, createWorld, organizationId, serviceId } from './world.ts';

/** One query whose CPU is measured. */
export interface Query {
  readonly name: 'Q0' | 'Q1' | 'Q2' | 'Q3' | 'Q4';
  /** Requests in each block. */
  readonly requests: number;
  readonly query: string;
  readonly variables: Readonly<Record<string, string>>;
}

const q1 = `query Q1($organizationId: ID!, $serviceId: ID!) {
  service(organizationId: $organizationId, serviceId: $serviceId) {
    name engineVersion numReplicas createdAt
  }
}`;

const q2 = `query Q2($organizationId: ID!, $serviceId: ID!) {
  service(organizationId: $organizationId, serviceId: $serviceId) {
    id name engineVersion numReplicas idleScaling createdAt
    endpoints { protocol host port username }
    backupConfiguration { backupPeriodInHours backupRetentionPeriodInHours backupStartTime }
    pipes {
      id name state createdAt
      scaling { replicas concurrency replicaMemoryGb }
      source {
        __typename
        ... on KafkaSource { brokers topics consumerGroup iamRole offset { timestamp } }
        ... on PostgresSource {
          host port database tableMappings { sourceTable targetTable excludedColumns }
        }
      }
      destination { database table managedTable columns { name type } }
      fieldMappings { sourceField destinationField }
      settings { streamingMaxInsertWaitMs engineMaxThreads }
    }
  }
  organization(organizationId: $organizationId) { invitations { id email createdAt expiresAt } }
}`;

const q3 = `query Q3 {
  alerts { id name state threshold interval dashboard { name tiles { name } } }
}`;

/** Each of ten alerts twice, with the aliases `a0` to `a19`. */
const alert = (index: number): string =>
  `a${index}: alert(alertId: $id${index % 10}) { id name state threshold interval }`;
const q4 = `query Q4(${count(10, (index) => `$id${index}: ID!`).join(', ')}) {
  ${count(20, alert).join(' ')}
}`;

const service = { organizationId: organizationId(2), serviceId: serviceId(2, 0) };
const ids = Object.fromEntries(count(10, (index) => [`id${index}`, alertId(index)]));

/** The smallest possible query: the minimum cost of a request. */
export const smallest: Query = {
  name: 'Q0',
  requests: 800,
  query: 'query Q0 { __typename }',
  variables: {},
};

export const queries: readonly Query[] = [
  { name: 'Q1', requests: 800, query: q1, variables: service },
  { name: 'Q2', requests: 160, query: q2, variables: service },
  { name: 'Q3', requests: 80, query: q3, variables: {} },
  { name: 'Q4', requests: 240, query: q4, variables: ids },
];

/** The body of a request. Each is unique because of a variable that the query does not declare and GraphQL ignores. */
export const bodyOf = ({ name, query, variables }: Query, unused: number): string =>
  JSON.stringify({ operationName: name, query, variables: { ...variables, unused } });

/**
 * The expected answer of every server: the result of graphql-js with the gateway's SDL and the backend's records, without
 * HTTP.
 */
export const expectedAnswer = async ({ query, variables }: Query): Promise<unknown> => {
  const { reads } = createWorld();
  const read: Read = async <Result>(path: string) =>
    reads.get(path)?.({ caller: 0, at: 0 }) as Result;
  const request = { source: query, variableValues: variables, contextValue: { read } };
  const answer = await graphql({ schema: createSchema(), ...request });
  if (answer.errors) throw new AggregateError(answer.errors, 'the expected answer has errors');
  // As it is after being sent as JSON.
  return JSON.parse(JSON.stringify(answer));
};

import type { Client } from '@urql/core';
import { updateAlert } from './alerts.ts';
import type { introspection } from './generated/introspection.d.ts';
import { graphql, type ResultOf, type Scalars, type VariablesOf } from './graphql.ts';
import { createPipe, stopPipe } from './pipes.ts';

// Compiled, never run: each line under an @ts-expect-error must be an error, and all others must compile.

type Same<Actual, Expected> =
  (<T>() => T extends Actual ? 1 : 2) extends <T>() => T extends Expected ? 1 : 2 ? true : false;

const read = graphql(`
  query Read($organizationId: ID!, $serviceId: ID!) {
    service(organizationId: $organizationId, serviceId: $serviceId) {
      id
      name
      createdAt
      numReplicas
      idleScaling
      pipes {
        settings {
          objectStorageMaxInsertBytes
        }
        scaling {
          replicaMemoryGb
        }
        source {
          __typename
          ... on KafkaSource {
            topics
          }
        }
      }
    }
  }
`);

/** The compiler does not refuse it, but `scripts/check-documents.ts` does: the name is misspelt. */
export const misspelt = graphql('{ organizations { nmae } }');

type Service = NonNullable<ResultOf<typeof read>['service']>;
type Pipe = NonNullable<Service['pipes']>[number];
type Source = NonNullable<Pipe['source']>;

type Comparison =
  | 'ABOVE'
  | 'ABOVE_EXCLUSIVE'
  | 'BELOW'
  | 'BELOW_OR_EQUAL'
  | 'BETWEEN'
  | 'EQUAL'
  | 'NOT_BETWEEN'
  | 'NOT_EQUAL';

export const results: [
  Same<Service['id'], string>,
  Same<Service['name'], string | null>,
  Same<Service['createdAt'], string | null>,
  Same<Service['numReplicas'], number | null>,
  Same<Service['idleScaling'], boolean | null>,
  Same<NonNullable<Pipe['settings']>['objectStorageMaxInsertBytes'], number | null>,
  Same<NonNullable<Pipe['scaling']>['replicaMemoryGb'], number | null>,
  Same<Extract<Source, { __typename: 'KafkaSource' }>['topics'], string | null>,
] = [true, true, true, true, true, true, true, true];

type CreateInput = VariablesOf<typeof createPipe>['input'];
type AlertInput = VariablesOf<typeof updateAlert>['input'];

export const variables: [
  Same<VariablesOf<typeof read>, { organizationId: string; serviceId: string }>,
  Same<AlertInput['thresholdType'], Comparison | null | undefined>,
  Same<AlertInput['threshold'], number | null | undefined>,
  Same<CreateInput['validateSamples'], boolean | null | undefined>,
] = [true, true, true, true];

type Types = introspection['types'];
type ScalarName = {
  [Name in keyof Types]: unknown extends Types[Name]
    ? Name
    : Types[Name] extends { type: unknown }
      ? Name
      : never;
}[keyof Types];

export const everyScalarIsMapped: Same<ScalarName, keyof Scalars> = true;

export const wrongFieldNames = (service: Service, wrong: ResultOf<typeof misspelt>): unknown[] => {
  // @ts-expect-error: a field that is in no schema
  const neverThere = service.nmae;
  // @ts-expect-error: a field of the schema that was not selected
  const notSelected = service.organizationId;
  // @ts-expect-error: what a misspelt selection gives is unknown, and of no use
  const unusable: string | null = wrong.organizations?.[0]?.nmae;
  // @ts-expect-error: null wherever the upstream is silent
  const notNull: string = service.name;
  return [neverThere, notSelected, unusable, notNull];
};

const path = { organizationId: 'o', serviceId: 's' };

export const missingVariables = (client: Client): unknown[] => [
  client.query(read, path),
  // @ts-expect-error: serviceId is missing
  client.query(read, { organizationId: 'o' }),
  // @ts-expect-error: a number is no ID
  client.query(read, { organizationId: 'o', serviceId: 1 }),
  // @ts-expect-error: pipeId is missing within the input
  client.mutation(stopPipe, { input: path }),
];

export const wrongEnumValues = (client: Client): unknown[] => [
  client.mutation(updateAlert, { input: { alertId: 'a', thresholdType: 'ABOVE' } }),
  // @ts-expect-error: the value is misspelt
  client.mutation(updateAlert, { input: { alertId: 'a', thresholdType: 'OVER' } }),
  // @ts-expect-error: UNKNOWN is read, and never sent
  client.mutation(updateAlert, { input: { alertId: 'a', thresholdType: 'UNKNOWN' } }),
];

const create = (client: Client, source: CreateInput['source']) =>
  client.mutation(createPipe, {
    input: { ...path, name: 'n', destination: { table: 't' }, source },
  });

export const wrongSources = (client: Client): unknown[] => [
  create(client, { kafka: { topics: 't' } }),
  create(client, { kinesis: { streamName: 's', timestamp: 1_780_000_000 } }),
  // @ts-expect-error: none of the members
  create(client, {}),
  // @ts-expect-error: two of the members
  create(client, { kafka: { topics: 't' }, kinesis: { streamName: 's' } }),
  // @ts-expect-error: null is no source
  create(client, { kafka: null }),
  // @ts-expect-error: SafeInt is a number
  create(client, { kinesis: { timestamp: '1780000000' } }),
];

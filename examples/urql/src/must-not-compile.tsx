import type { UseMutationExecute } from 'urql';
import { useQuery } from 'urql';
import type {
  CreatePipeMutationVariables,
  PipeSourceInput,
  ReadQuery,
  ReadQueryVariables,
  SourceTextFragment,
  StopPipeMutationVariables,
  UpdateAlertMutationVariables,
} from './generated/graphql.ts';
import { graphql } from './generated/index.ts';
import { PipeRow } from './pipe-row.tsx';

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
        ...PipeRow
      }
    }
    alerts {
      thresholdType
    }
  }
`);

type Service = NonNullable<ReadQuery['service']>;
type Pipe = NonNullable<Service['pipes']>[number];
type Settings = NonNullable<Pipe['settings']>;

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
  Same<Settings['objectStorageMaxInsertBytes'], number | null>,
  Same<NonNullable<Pipe['scaling']>['replicaMemoryGb'], number | null>,
  Same<NonNullable<ReadQuery['alerts']>[number]['thresholdType'], Comparison | 'UNKNOWN' | null>,
  Same<Extract<SourceTextFragment, { __typename: 'KafkaSource' }>['topics'], string | null>,
] = [true, true, true, true, true, true, true, true, true];

type CreateInput = CreatePipeMutationVariables['input'];
type AlertInput = UpdateAlertMutationVariables['input'];

export const variables: [
  Same<ReadQueryVariables['organizationId'], string>,
  Same<AlertInput['thresholdType'], Comparison | null | undefined>,
  Same<AlertInput['threshold'], number | null | undefined>,
  Same<CreateInput['validateSamples'], boolean | null | undefined>,
] = [true, true, true, true];

export const wrongFieldNames = (service: Service): unknown[] => {
  // @ts-expect-error: a field that is in no schema
  const neverThere = service.nmae;
  // @ts-expect-error: a field of the schema that was not selected
  const notSelected = service.isPrimary;
  // @ts-expect-error: a field that only the fragment of another component selects
  const masked = service.pipes?.[0]?.state;
  // @ts-expect-error: null wherever the upstream is silent
  const notNull: string = service.name;
  return [neverThere, notSelected, masked, notNull];
};

export const wrongFragment = (pipe: Pipe, settings: Settings) => [
  <PipeRow key="pipe" pipe={pipe} />,
  // @ts-expect-error: an object that was not selected through the component's fragment
  <PipeRow key="settings" pipe={settings} />,
];

export const WrongVariables = () => [
  useQuery({ query: read, variables: { organizationId: 'o', serviceId: 's' } }),
  // @ts-expect-error: no variables at all
  useQuery({ query: read }),
  // @ts-expect-error: serviceId is missing
  useQuery({ query: read, variables: { organizationId: 'o' } }),
  // @ts-expect-error: a number is no ID
  useQuery({ query: read, variables: { organizationId: 'o', serviceId: 1 } }),
  // @ts-expect-error: the text of the document is not the one that types were generated from
  useQuery({ query: graphql('{ organizations { nmae } }') }),
];

const path = { organizationId: 'o', serviceId: 's' };

type Execute<Variables extends Record<string, unknown>> = UseMutationExecute<unknown, Variables>;

export const missingMembers = (stop: Execute<StopPipeMutationVariables>): unknown[] => [
  stop({ input: { ...path, pipeId: 'p' } }),
  // @ts-expect-error: pipeId is missing within the input
  stop({ input: path }),
];

export const wrongEnumValues = (update: Execute<UpdateAlertMutationVariables>): unknown[] => [
  update({ input: { alertId: 'a', thresholdType: 'ABOVE' } }),
  // @ts-expect-error: the value is misspelt
  update({ input: { alertId: 'a', thresholdType: 'OVER' } }),
  // @ts-expect-error: UNKNOWN is read, and never sent
  update({ input: { alertId: 'a', thresholdType: 'UNKNOWN' } }),
];

export const wrongSources = (createPipe: Execute<CreatePipeMutationVariables>): unknown[] => {
  const create = (source: PipeSourceInput) =>
    createPipe({ input: { ...path, name: 'n', destination: { table: 't' }, source } });
  return [
    create({ kafka: { topics: 't' } }),
    create({ kinesis: { streamName: 's', timestamp: 1_780_000_000 } }),
    // @ts-expect-error: none of the members
    create({}),
    // @ts-expect-error: two of the members
    create({ kafka: { topics: 't' }, kinesis: { streamName: 's' } }),
    // @ts-expect-error: null is no source
    create({ kafka: null }),
    // @ts-expect-error: SafeInt is a number
    create({ kinesis: { timestamp: '1780000000' } }),
  ];
};

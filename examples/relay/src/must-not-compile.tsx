import { graphql, useLazyLoadQuery, type useMutation } from 'react-relay';
import type { MutationParameters } from 'relay-runtime';
import type { AlertRowUpdateMutation } from './__generated__/AlertRowUpdateMutation.graphql.ts';
import type { CreatePipeMutation } from './__generated__/CreatePipeMutation.graphql.ts';
import type { mustNotCompileQuery } from './__generated__/mustNotCompileQuery.graphql.ts';
import type { PipeRowStopMutation } from './__generated__/PipeRowStopMutation.graphql.ts';
import type { SourceText_source$data } from './__generated__/SourceText_source.graphql.ts';
import { PipeRow } from './PipeRow.tsx';

// Compiled, never run: each line under an @ts-expect-error must be an error, and all others must compile.

type Same<Actual, Expected> =
  (<T>() => T extends Actual ? 1 : 2) extends <T>() => T extends Expected ? 1 : 2 ? true : false;

const read = graphql`
  query mustNotCompileQuery($organizationId: ID!, $serviceId: ID!) {
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
        ...PipeRow_pipe
      }
    }
    alerts {
      thresholdType
    }
  }
`;

type Read = mustNotCompileQuery['response'];
type Service = NonNullable<Read['service']>;
type Pipe = NonNullable<Service['pipes']>[number];
type Source = Extract<SourceText_source$data, { ok: true }>['value'];
type Nullable<T> = T | null | undefined;

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
  Same<Service['name'], Nullable<string>>,
  Same<Service['createdAt'], Nullable<string>>,
  Same<Service['numReplicas'], Nullable<number>>,
  Same<Service['idleScaling'], Nullable<boolean>>,
  Same<NonNullable<Pipe['settings']>['objectStorageMaxInsertBytes'], Nullable<number>>,
  Same<NonNullable<Pipe['scaling']>['replicaMemoryGb'], Nullable<number>>,
  Same<NonNullable<Read['alerts']>[number]['thresholdType'], Nullable<Comparison | 'UNKNOWN'>>,
  Same<Extract<Source, { __typename: 'KafkaSource' }>['topics'], Nullable<string>>,
] = [true, true, true, true, true, true, true, true, true];

type Commit<Mutation extends MutationParameters> = ReturnType<typeof useMutation<Mutation>>[0];

type CreateInput = CreatePipeMutation['variables']['input'];
type AlertInput = AlertRowUpdateMutation['variables']['input'];

export const variables: [
  Same<mustNotCompileQuery['variables'], { organizationId: string; serviceId: string }>,
  Same<AlertInput['thresholdType'], Nullable<Comparison>>,
  Same<AlertInput['threshold'], Nullable<number>>,
  Same<CreateInput['validateSamples'], Nullable<boolean>>,
] = [true, true, true, true];

export const WrongFieldNames = () => {
  const { service } = useLazyLoadQuery<mustNotCompileQuery>(read, {
    organizationId: 'o',
    serviceId: 's',
  });
  // @ts-expect-error: a field that is in no schema
  const neverThere = service?.nmae;
  // @ts-expect-error: a field of the schema that was not selected
  const notSelected = service?.isPrimary;
  // @ts-expect-error: a field that only the fragment of another component selects
  const masked = service?.pipes?.[0]?.state;
  // @ts-expect-error: null wherever the upstream is silent
  const notNull: string = service?.name;
  return [neverThere, notSelected, masked, notNull];
};

type Settings = NonNullable<Pipe['settings']>;

export const wrongFragment = (pipe: Pipe, settings: Settings) => [
  <PipeRow key="pipe" pipe={pipe} />,
  // @ts-expect-error: an object that was not selected through the component's fragment
  <PipeRow key="settings" pipe={settings} />,
];

export const MissingVariables = () => {
  // @ts-expect-error: serviceId is missing
  useLazyLoadQuery<mustNotCompileQuery>(read, { organizationId: 'o' });
  // @ts-expect-error: a number is no ID
  useLazyLoadQuery<mustNotCompileQuery>(read, { organizationId: 'o', serviceId: 1 });
};

const path = { organizationId: 'o', serviceId: 's' };

export const missingMembers = (stop: Commit<PipeRowStopMutation>): void => {
  stop({ variables: { input: { ...path, pipeId: 'p' } } });
  // @ts-expect-error: pipeId is missing within the input
  stop({ variables: { input: path } });
};

export const wrongEnumValues = (update: Commit<AlertRowUpdateMutation>): void => {
  update({ variables: { input: { alertId: 'a', thresholdType: 'ABOVE' } } });
  // @ts-expect-error: the value is misspelt
  update({ variables: { input: { alertId: 'a', thresholdType: 'OVER' } } });
  // @ts-expect-error: UNKNOWN is read, and never sent
  update({ variables: { input: { alertId: 'a', thresholdType: 'UNKNOWN' } } });
};

export const wrongSources = (commit: Commit<CreatePipeMutation>): void => {
  const create = (source: CreateInput['source']) =>
    commit({
      variables: { input: { ...path, name: 'n', destination: { table: 't' }, source } },
    });
  create({ kafka: { topics: 't' } });
  create({ kinesis: { streamName: 's', timestamp: 1_780_000_000 } });
  // @ts-expect-error: none of the members
  create({});
  // @ts-expect-error: two of the members
  create({ kafka: { topics: 't' }, kinesis: { streamName: 's' } });
  // @ts-expect-error: null is no source
  create({ kafka: null });
  // @ts-expect-error: SafeInt is a number
  create({ kinesis: { timestamp: '1780000000' } });
};

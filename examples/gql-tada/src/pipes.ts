import type { Client } from '@urql/core';
import { dataOf } from './client.ts';
import {
  type FragmentOf,
  graphql,
  type ResultOf,
  readFragment,
  type VariablesOf,
} from './graphql.ts';
import { reasonsOf, refusal } from './refusals.ts';

export const pipeLine = graphql(`
  fragment PipeLine on Pipe {
    name
    state
    source {
      __typename
      ... on KafkaSource {
        topics
      }
      ... on ObjectStorageSource {
        url
        azureContainerName
      }
      ... on KinesisSource {
        streamName
      }
      ... on PostgresSource {
        host
        database
      }
      ... on MySqlSource {
        host
      }
      ... on MongoDbSource {
        uri
      }
      ... on PubSubSource {
        topic
      }
      ... on UnknownSource {
        kind
      }
    }
  }
`);

export const pipeTree = graphql(
  `
    query PipeTree($filter: PipeFilter) {
      organizations {
        id
        name
        services {
          id
          name
          createdAt
          pipes(filter: $filter) {
            id
            ...PipeLine
          }
        }
      }
    }
  `,
  [pipeLine],
);

export const stopPipe = graphql(
  `
    mutation StopPipe($input: StopPipeInput!) {
      stopPipe(input: $input) {
        pipe {
          id
          ...PipeLine
        }
        userErrors {
          ...Refusal
        }
      }
    }
  `,
  [pipeLine, refusal],
);

export const createPipe = graphql(
  `
    mutation CreatePipe($input: CreatePipeInput!) {
      createPipe(input: $input) {
        pipe {
          id
          settings {
            objectStorageMaxInsertBytes
          }
          ...PipeLine
        }
        userErrors {
          ...Refusal
        }
      }
    }
  `,
  [pipeLine, refusal],
);

type PipeLine = ResultOf<typeof pipeLine>;

const describeSource = (source: PipeLine['source']): string => {
  switch (source?.__typename) {
    case 'KafkaSource':
      return `Kafka, ${source.topics}`;
    case 'ObjectStorageSource':
      return `objects in ${source.url ?? source.azureContainerName}`;
    case 'KinesisSource':
      return `Kinesis, ${source.streamName}`;
    case 'PostgresSource':
      return `Postgres, ${source.database} on ${source.host}`;
    case 'MySqlSource':
      return `MySQL on ${source.host}`;
    case 'BigQuerySource':
      return 'BigQuery';
    case 'MongoDbSource':
      return `MongoDB, ${source.uri}`;
    case 'PubSubSource':
      return `Pub/Sub, ${source.topic}`;
    case 'UnknownSource':
      return `a source newer than this program: ${source.kind}`;
    case undefined:
      return 'a source that was not told';
  }
};

/** A pipe in one line: name, state, source. */
export const describePipe = (pipe: FragmentOf<typeof pipeLine>): string => {
  const { name, state, source } = readFragment(pipeLine, pipe);
  return `${name ?? 'unnamed'}: ${state ?? 'state unknown'}, from ${describeSource(source)}`;
};

/** Stops a pipe. Returns its description, or the reasons why it was not stopped. */
export const stop = async (
  client: Client,
  input: VariablesOf<typeof stopPipe>['input'],
): Promise<string> => {
  const result = await client.mutation(stopPipe, { input });
  const { pipe, userErrors } = dataOf(result).stopPipe;
  return pipe === null ? reasonsOf(userErrors, result) : describePipe(pipe);
};

/**
 * Creates a pipe from a Kafka topic into a new table of the same name, whose one column takes the field `message`. Returns
 * its description, or the reasons why it was not created.
 */
export const createKafkaPipe = async (
  client: Client,
  path: { readonly organizationId: string; readonly serviceId: string },
  topic: { readonly brokers: string; readonly name: string },
): Promise<string> => {
  const result = await client.mutation(createPipe, {
    input: {
      ...path,
      name: topic.name,
      source: { kafka: { brokers: topic.brokers, topics: topic.name } },
      destination: {
        table: topic.name,
        managedTable: true,
        columns: [{ name: 'message', type: 'String' }],
      },
      fieldMappings: [{ sourceField: 'message', destinationField: 'message' }],
    },
  });
  const { pipe, userErrors } = dataOf(result).createPipe;
  return pipe === null ? reasonsOf(userErrors, result) : describePipe(pipe);
};

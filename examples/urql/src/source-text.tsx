import { type FragmentType, graphql, readFragment } from './generated/index.ts';

const sourceTextFragment = graphql(`
  fragment SourceText on PipeSource {
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
`);

interface SourceTextProps {
  readonly source: FragmentType<typeof sourceTextFragment> | null;
}

/** Where a pipe reads from, in a few words. */
export const SourceText = (props: SourceTextProps) => {
  const source = readFragment(sourceTextFragment, props.source);
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
      return `a source newer than this page: ${source.kind}`;
    case undefined:
      return null;
  }
};

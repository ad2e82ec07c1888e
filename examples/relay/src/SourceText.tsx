import { graphql, useFragment } from 'react-relay';
import type { SourceText_source$key } from './__generated__/SourceText_source.graphql.ts';
import { Failures, orNull } from './caught.tsx';

interface SourceTextProps {
  readonly source: SourceText_source$key | null | undefined;
}

/** Where a pipe reads from, in a few words. */
export const SourceText = (props: SourceTextProps) => {
  const caught = useFragment(
    graphql`
      fragment SourceText_source on PipeSource @catch {
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
        ... on BigQuerySource {
          snapshotStagingPath
        }
        ... on UnknownSource {
          kind
        }
      }
    `,
    props.source,
  );
  if (caught && !caught.ok) return <Failures of={[caught]} />;
  const source = caught && orNull(caught);
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
    default:
      return null;
  }
};

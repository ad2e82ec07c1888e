import type {
  InputMaybe,
  KafkaSourceInput,
  PipeSourceInput,
  UpdateKafkaSourceInput,
  UpdatePipeSourceInput,
} from '../generated/schema.ts';
import type { KafkaCredentials } from '../upstream/management/rows/pipe-change.ts';

type KafkaInput = KafkaSourceInput | UpdateKafkaSourceInput;
type Shapes = 'credentials' | 'accessKey' | 'connectionString' | 'clientCertificate';

/**
 * The body of a Kafka source. On the wire, all kinds of credentials share one member; the operation's rule checks that only
 * one kind is given.
 */
const toWireKafka = <Input extends KafkaInput>({
  credentials,
  accessKey,
  connectionString,
  clientCertificate,
  ...rest
}: Input): Omit<Input, Shapes> & { readonly credentials?: KafkaCredentials | null } => {
  const given = [
    credentials,
    accessKey,
    connectionString === undefined || connectionString === null
      ? connectionString
      : { connectionString },
    clientCertificate,
  ].filter((shape) => shape !== undefined);
  if (given.length === 0) return rest;
  const some = given.filter((shape) => shape !== null);
  return { ...rest, credentials: some.length === 0 ? null : Object.assign({}, ...some) };
};

/** The body of a source. Absent members stay absent, and null stays null. */
export const toWireSource = <Input extends PipeSourceInput | UpdatePipeSourceInput>(
  source: InputMaybe<Input>,
) => (source?.kafka ? { kafka: toWireKafka(source.kafka) } : source);

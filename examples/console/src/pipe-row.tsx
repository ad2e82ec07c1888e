import type { SluiceProblem } from '@sluice/client';
import { Button } from './button.tsx';
import {
  type PipeFieldsFragment,
  ResyncPipeDocument,
  StartPipeDocument,
  StopPipeDocument,
} from './generated/operations.ts';
import { Notice } from './notice.tsx';
import { useSession } from './session.ts';
import { State } from './state.tsx';
import { useMutation } from './use-mutation.ts';

const commands = {
  Start: StartPipeDocument,
  Stop: StopPipeDocument,
  Resync: ResyncPipeDocument,
} as const;

type Command = keyof typeof commands;

const sourceKinds = {
  KafkaSource: 'Kafka',
  ObjectStorageSource: 'Object storage',
  KinesisSource: 'Kinesis',
  PostgresSource: 'Postgres',
  UnknownSource: 'Another source',
} as const;

/** Each command that the pipe knows, and whether it may be given now. */
const commandsFor = ({ state, source }: PipeFieldsFragment): readonly [Command, boolean][] => [
  ['Start', state === 'Stopped' || state === 'Failed'],
  ['Stop', state !== 'Stopped'],
  ...(source?.__typename === 'PostgresSource'
    ? [['Resync', true] satisfies [Command, boolean]]
    : []),
];

interface PipeRowProps {
  readonly pipe: PipeFieldsFragment;
  /** What could not be read of the pipe. */
  readonly problems: readonly SluiceProblem[];
}

/** A pipe with its state, and the commands that may be given to it. */
export const PipeRow = ({ pipe, problems }: PipeRowProps) => {
  const { client } = useSession();
  const { id: pipeId, organizationId, serviceId, source } = pipe;
  const name = pipe.name ?? 'Unnamed pipe';
  const { send, underWay, outcome } = useMutation(async (command: Command) => {
    const { data, errors } = await client.execute(commands[command], {
      input: { organizationId, serviceId, pipeId },
    });
    return {
      said: data?.outcome.pipe ? `${command} was sent.` : undefined,
      userErrors: data?.outcome.userErrors ?? [],
      errors,
    };
  });
  return (
    <article className="row" aria-label={name}>
      <div className="facts">
        <strong>{name}</strong>
        <small>{source ? sourceKinds[source.__typename] : 'Source unknown'}</small>
      </div>
      <State state={pipe.state} />
      <div className="actions">
        {commandsFor(pipe).map(([command, possible]) => (
          <Button key={command} unavailable={underWay || !possible} onClick={() => send(command)}>
            {command}
            <span className="unseen"> {name}</span>
          </Button>
        ))}
      </div>
      <p className="said" role="status">
        {underWay ? 'Sending…' : outcome.said}
      </p>
      <Notice problems={[...problems, ...outcome.problems]} />
    </article>
  );
};

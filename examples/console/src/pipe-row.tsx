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
  readonly onChange: (pipe: PipeFieldsFragment) => void;
}

/** A pipe with its state, and the commands that may be given to it. */
export const PipeRow = ({ pipe, problems, onChange }: PipeRowProps) => {
  const { client } = useSession();
  const { id: pipeId, organizationId, serviceId, source } = pipe;
  const name = pipe.name ?? 'Unnamed pipe';
  const { send, underWay, outcome } = useMutation(async (command: Command) => {
    const { outcome } = await client.request(commands[command], {
      input: { organizationId, serviceId, pipeId },
    });
    if (!outcome.pipe) return { problems: outcome.userErrors };
    onChange(outcome.pipe);
    return { said: `${command} was sent: the pipe is ${outcome.pipe.state}.` };
  });
  return (
    <article className="row" aria-label={name} aria-busy={underWay}>
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
      <Notice problems={[...problems, ...(outcome.problems ?? [])]} />
    </article>
  );
};

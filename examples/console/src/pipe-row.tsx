import type { SluiceProblem } from '@sluice/client';
import { Button } from './button.tsx';
import {
  type PipeFieldsFragment,
  PipeNowDocument,
  ResyncPipeDocument,
  StartPipeDocument,
  StopPipeDocument,
} from './generated/operations.ts';
import { Notice } from './notice.tsx';
import { useSession } from './session.ts';
import { isOnTheWay, State } from './state.tsx';
import { useChange } from './use-change.ts';
import { useProgress } from './use-progress.ts';

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

/** What is to be seen of a command after it was sent. */
const follow = {
  isSettled: ({ state }: PipeFieldsFragment): boolean => !isOnTheWay(state),
  describe: ({ state }: PipeFieldsFragment): string =>
    isOnTheWay(state) ? `Still ${state}: Refresh shows what follows.` : `Now ${state}.`,
};

interface PipeRowProps {
  readonly pipe: PipeFieldsFragment;
  /** What could not be read of the pipe. */
  readonly problems: readonly SluiceProblem[];
}

/** A pipe with its state, and the commands that may be given to it. */
export const PipeRow = ({ pipe: given, problems: givenProblems }: PipeRowProps) => {
  const { client } = useSession();
  const { id: pipeId, organizationId, serviceId } = given;
  const {
    item: pipe,
    problems,
    send,
    underWay,
    outcome,
  } = useChange(
    { item: given, problems: givenProblems },
    {
      perform: async (command: Command) => {
        const { data, errors } = await client.execute(commands[command], {
          input: { organizationId, serviceId, pipeId },
        });
        const { pipe, userErrors = [] } = data?.outcome ?? {};
        return {
          said: pipe ? `${command} was sent.` : undefined,
          item: errors.length === 0 ? pipe : undefined,
          userErrors,
          errors,
        };
      },
      read: async (signal) => {
        const ids = { organizationId, serviceId, pipeId };
        const { data, errors } = await client.execute(PipeNowDocument, ids, { signal });
        return { item: data?.pipe, errors };
      },
      follow,
    },
  );
  const progress = useProgress(underWay, 'management', { soon: 'Sending…', late: 'Still sending' });
  const name = pipe.name ?? 'Unnamed pipe';
  return (
    <article className="row" aria-label={name}>
      <div className="facts">
        <strong>{name}</strong>
        <small>{pipe.source ? sourceKinds[pipe.source.__typename] : 'Source unknown'}</small>
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
        {progress ?? outcome.said}
      </p>
      <Notice problems={[...problems, ...outcome.problems]} />
    </article>
  );
};

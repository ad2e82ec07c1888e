import { useMutation } from 'urql';
import { Failures, Refusals } from './failures.tsx';
import { type FragmentType, graphql, readFragment } from './generated/index.ts';
import { SourceText } from './source-text.tsx';

const pipeRowFragment = graphql(`
  fragment PipeRow on Pipe {
    id
    organizationId
    serviceId
    name
    state
    phase
    availableCommands
    source {
      ...SourceText
    }
  }
`);

const startPipeMutation = graphql(`
  mutation StartPipe($input: StartPipeInput!) {
    startPipe(input: $input) {
      userErrors {
        ...Refusal
      }
    }
  }
`);

const stopPipeMutation = graphql(`
  mutation StopPipe($input: StopPipeInput!) {
    stopPipe(input: $input) {
      userErrors {
        ...Refusal
      }
    }
  }
`);

const resyncPipeMutation = graphql(`
  mutation ResyncPipe($input: ResyncPipeInput!) {
    resyncPipe(input: $input) {
      userErrors {
        ...Refusal
      }
    }
  }
`);

interface PipeRowProps {
  readonly pipe: FragmentType<typeof pipeRowFragment>;
}

export const PipeRow = (props: PipeRowProps) => {
  const pipe = readFragment(pipeRowFragment, props.pipe);
  const [started, start] = useMutation(startPipeMutation);
  const [stopped, stop] = useMutation(stopPipeMutation);
  const [resynced, resync] = useMutation(resyncPipeMutation);
  const buttons = [
    { command: 'START', word: 'Start', send: start },
    { command: 'STOP', word: 'Stop', send: stop },
    { command: 'RESYNC', word: 'Resync', send: resync },
  ] as const;
  const input = {
    organizationId: pipe.organizationId,
    serviceId: pipe.serviceId,
    pipeId: pipe.id,
  };
  return (
    <li>
      {pipe.name} <strong>{pipe.state}</strong> <SourceText source={pipe.source} />
      {pipe.phase === 'CHANGING' && <progress aria-label="Changing" />}
      {buttons
        .filter(({ command }) => pipe.availableCommands.includes(command))
        .map(({ command, word, send }) => (
          <button
            key={command}
            type="button"
            disabled={started.fetching || stopped.fetching || resynced.fetching}
            onClick={() => send({ input })}
          >
            {word}
          </button>
        ))}
      <Failures error={started.error ?? stopped.error ?? resynced.error} />
      <Refusals userErrors={started.data?.startPipe.userErrors ?? []} />
      <Refusals userErrors={stopped.data?.stopPipe.userErrors ?? []} />
      <Refusals userErrors={resynced.data?.resyncPipe.userErrors ?? []} />
    </li>
  );
};

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
    source {
      ...SourceText
    }
  }
`);

const startPipeMutation = graphql(`
  mutation StartPipe($input: StartPipeInput!) {
    startPipe(input: $input) {
      pipe {
        ...PipeRow
      }
      userErrors {
        ...Refusal
      }
    }
  }
`);

const stopPipeMutation = graphql(`
  mutation StopPipe($input: StopPipeInput!) {
    stopPipe(input: $input) {
      pipe {
        ...PipeRow
      }
      userErrors {
        ...Refusal
      }
    }
  }
`);

/** States from which the upstream can be told to start a pipe. */
const startable: readonly (string | null)[] = ['Stopped', 'Failed'];

interface PipeRowProps {
  readonly pipe: FragmentType<typeof pipeRowFragment>;
}

export const PipeRow = (props: PipeRowProps) => {
  const pipe = readFragment(pipeRowFragment, props.pipe);
  const [started, start] = useMutation(startPipeMutation);
  const [stopped, stop] = useMutation(stopPipeMutation);
  const input = {
    organizationId: pipe.organizationId,
    serviceId: pipe.serviceId,
    pipeId: pipe.id,
  };
  const change = startable.includes(pipe.state) ? start : stop;
  return (
    <li>
      {pipe.name} <strong>{pipe.state}</strong> <SourceText source={pipe.source} />
      <button
        type="button"
        disabled={started.fetching || stopped.fetching}
        onClick={() => change({ input })}
      >
        {change === start ? 'Start' : 'Stop'}
      </button>
      <Failures error={started.error ?? stopped.error} />
      <Refusals userErrors={started.data?.startPipe.userErrors ?? []} />
      <Refusals userErrors={stopped.data?.stopPipe.userErrors ?? []} />
    </li>
  );
};

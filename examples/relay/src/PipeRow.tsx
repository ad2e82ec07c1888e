import { useTransition } from 'react';
import { graphql, useRefetchableFragment } from 'react-relay';
import type { PipeRow_pipe$key } from './__generated__/PipeRow_pipe.graphql.ts';
import type { PipeRowRefetchQuery } from './__generated__/PipeRowRefetchQuery.graphql.ts';
import type { PipeRowResyncMutation } from './__generated__/PipeRowResyncMutation.graphql.ts';
import type { PipeRowStartMutation } from './__generated__/PipeRowStartMutation.graphql.ts';
import type { PipeRowStopMutation } from './__generated__/PipeRowStopMutation.graphql.ts';
import { Failures, orNull } from './caught.tsx';
import { SourceText } from './SourceText.tsx';
import { Trouble } from './Trouble.tsx';
import { useChange } from './use-change.ts';

interface PipeRowProps {
  readonly pipe: PipeRow_pipe$key;
}

export const PipeRow = (props: PipeRowProps) => {
  const [isPending, startTransition] = useTransition();
  const [pipe, refetch] = useRefetchableFragment<PipeRowRefetchQuery, PipeRow_pipe$key>(
    graphql`
      fragment PipeRow_pipe on Pipe @refetchable(queryName: "PipeRowRefetchQuery") {
        id
        organizationId
        serviceId
        name @catch
        state @catch
        phase
        availableCommands
        source @catch {
          ...SourceText_source
        }
      }
    `,
    props.pipe,
  );
  const start = useChange<PipeRowStartMutation>(
    graphql`
      mutation PipeRowStartMutation($input: StartPipeInput!) {
        startPipe(input: $input) {
          pipe {
            ...PipeRow_pipe
          }
          userErrors {
            ...Refusals_userErrors
          }
        }
      }
    `,
    ({ startPipe }) => startPipe.userErrors,
  );
  const stop = useChange<PipeRowStopMutation>(
    graphql`
      mutation PipeRowStopMutation($input: StopPipeInput!) {
        stopPipe(input: $input) {
          pipe {
            ...PipeRow_pipe
          }
          userErrors {
            ...Refusals_userErrors
          }
        }
      }
    `,
    ({ stopPipe }) => stopPipe.userErrors,
  );
  const resync = useChange<PipeRowResyncMutation>(
    graphql`
      mutation PipeRowResyncMutation($input: ResyncPipeInput!) {
        resyncPipe(input: $input) {
          pipe {
            ...PipeRow_pipe
          }
          userErrors {
            ...Refusals_userErrors
          }
        }
      }
    `,
    ({ resyncPipe }) => resyncPipe.userErrors,
  );
  // It is null if the pipe has been deleted meanwhile; the type does not say so.
  if ((pipe as typeof pipe | null) === null) throw new Error('The pipe could not be read again.');
  const { name, state, source } = pipe;
  const buttons = [
    { command: 'START', word: 'Start', change: start },
    { command: 'STOP', word: 'Stop', change: stop },
    { command: 'RESYNC', word: 'Resync', change: resync },
  ] as const;
  const input = {
    organizationId: pipe.organizationId,
    serviceId: pipe.serviceId,
    pipeId: pipe.id,
  };
  const readAgain = () =>
    startTransition(() => {
      refetch({}, { fetchPolicy: 'network-only' });
    });
  return (
    <>
      {orNull(name)} <strong>{orNull(state)}</strong> <SourceText source={orNull(source)} />
      {pipe.phase === 'CHANGING' && <progress aria-label="Changing" />}
      {buttons
        .filter(({ command }) => pipe.availableCommands.includes(command))
        .map(({ command, word, change }) => (
          <button
            key={command}
            type="button"
            disabled={start.inFlight || stop.inFlight || resync.inFlight}
            onClick={() => change.send({ input })}
          >
            {word}
          </button>
        ))}
      <button type="button" disabled={isPending} onClick={readAgain}>
        Read again
      </button>
      <Failures of={[name, state, source]} />
      <Trouble of={start} />
      <Trouble of={stop} />
      <Trouble of={resync} />
    </>
  );
};

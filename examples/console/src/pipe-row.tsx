import { CommandRow } from './command-row.tsx';
import {
  type PipeCommand,
  PipeNowDocument,
  ResyncPipeDocument,
  StartPipeDocument,
  StopPipeDocument,
} from './generated/operations.ts';
import { sendCommand } from './send-command.ts';
import { useSession } from './session.ts';
import type { PipeEntry } from './use-pipes.ts';
import { pipeLooks, sourceKinds } from './words.ts';

const documents = {
  START: StartPipeDocument,
  STOP: StopPipeDocument,
  RESYNC: ResyncPipeDocument,
} as const;

const commands = ['RESYNC', 'START', 'STOP'] as const satisfies readonly PipeCommand[];

const consequences = {
  STOP: 'It copies no more data until somebody starts it again.',
  RESYNC: 'It copies all its tables again, from the beginning.',
} as const;

export const PipeRow = ({ entry: { name, place, pipe } }: { readonly entry: PipeEntry }) => {
  const { client } = useSession();
  const { organizationId, serviceId, id: pipeId } = pipe;
  return (
    <CommandRow
      nodeId={pipe.nodeId}
      name={name}
      thing="pipe"
      given={pipe}
      about={`${place} · ${pipe.source ? sourceKinds[pipe.source.__typename] : 'Source unknown'}`}
      looks={pipeLooks}
      commands={commands}
      consequences={consequences}
      perform={(command) =>
        sendCommand(client, {
          command,
          document: documents[command],
          now: PipeNowDocument,
          ids: { organizationId, serviceId, pipeId },
        })
      }
    />
  );
};

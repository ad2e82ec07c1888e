import { CommandRow } from './command-row.tsx';
import {
  type ServiceCommand,
  ServiceNowDocument,
  StartServiceDocument,
  StopServiceDocument,
  WakeServiceDocument,
} from './generated/operations.ts';
import { sendCommand } from './send-command.ts';
import { useSession } from './session.ts';
import type { ServiceEntry } from './use-pipes.ts';
import { serviceLooks } from './words.ts';

const documents = {
  START: StartServiceDocument,
  STOP: StopServiceDocument,
  WAKE: WakeServiceDocument,
} as const;

const commands = ['WAKE', 'START', 'STOP'] as const satisfies readonly ServiceCommand[];

const consequences = {
  STOP: 'Its clients are disconnected, and its pipes copy no more data until somebody starts it again.',
} as const;

export const ServiceRow = ({
  entry: { name, place, service },
}: {
  readonly entry: ServiceEntry;
}) => {
  const { client } = useSession();
  const { organizationId, id: serviceId } = service;
  return (
    <CommandRow
      nodeId={service.nodeId}
      name={name}
      thing="service"
      given={service}
      about={place}
      looks={serviceLooks}
      commands={commands}
      consequences={consequences}
      perform={(command) =>
        sendCommand(client, {
          command,
          document: documents[command],
          now: ServiceNowDocument,
          ids: { organizationId, serviceId },
        })
      }
    />
  );
};

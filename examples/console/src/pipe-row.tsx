import { useRef, useState } from 'react';
import { Ask } from './ask.tsx';
import { CommandButton } from './command-button.tsx';
import {
  type PipeCommand,
  PipeNowDocument,
  ResyncPipeDocument,
  StartPipeDocument,
  StopPipeDocument,
} from './generated/operations.ts';
import { Complaints } from './notice.tsx';
import { problemsIn } from './problems.ts';
import { useSession } from './session.ts';
import { State } from './state.tsx';
import { useCommand } from './use-command.ts';
import { useFocusKeeper } from './use-focus-keeper.ts';
import type { PipeEntry } from './use-pipes.ts';
import { useProgress } from './use-progress.ts';
import { commandWords, isOffered, pipeLooks, sourceKinds } from './words.ts';

const documents = {
  START: StartPipeDocument,
  STOP: StopPipeDocument,
  RESYNC: ResyncPipeDocument,
} as const;

/** In the order of their columns. */
const commands = ['RESYNC', 'START', 'STOP'] as const satisfies readonly PipeCommand[];

/** The warnings before commands with consequences. */
const consequences: Readonly<Partial<Record<PipeCommand, string>>> = {
  STOP: 'It copies no more data until somebody starts it again.',
  RESYNC: 'It copies all its tables again, from the beginning.',
};

/** A pipe with its state and command buttons. */
export const PipeRow = ({ entry: { name, place, pipe: given } }: { readonly entry: PipeEntry }) => {
  const { client } = useSession();
  const [asking, setAsking] = useState<PipeCommand>();
  const row = useRef<HTMLElement>(null);
  useFocusKeeper(row);
  const {
    item: pipe,
    send,
    underWay,
    said,
    complaints,
    dismiss,
  } = useCommand('management', given, async (command: PipeCommand) => {
    const { id: pipeId, organizationId, serviceId } = given;
    const ids = { organizationId, serviceId, pipeId };
    const { data, errors } = await client.execute(documents[command], { input: ids });
    const { pipe, userErrors = [] } = data?.outcome ?? {};
    if (userErrors.length > 0) {
      // The state of the pipe differs from the one that the page has shown.
      const now = await client
        .execute(PipeNowDocument, ids)
        .catch((thrown: unknown) => ({ data: null, errors: problemsIn(thrown) }));
      return { said: undefined, item: now.data?.pipe, userErrors, errors: now.errors };
    }
    return {
      said: pipe ? `${commandWords[command]} was sent.` : undefined,
      item: errors.length === 0 ? pipe : undefined,
      userErrors,
      errors,
    };
  });
  const progress = useProgress(underWay, { soon: 'Sending…', late: 'Still sending…' });
  const look = pipeLooks[pipe.phase];
  const consequence = asking && consequences[asking];
  const news = progress ?? said;
  return (
    <article className="row" aria-label={name} tabIndex={-1} ref={row}>
      <div className="facts">
        <strong>{name}</strong>
        <small>
          {place} · {pipe.source ? sourceKinds[pipe.source.__typename] : 'Source unknown'}
          {news && ' · '}
        </small>
        <small className="said" role="status">
          {news}
        </small>
      </div>
      <State
        look={look}
        state={pipe.state}
        showsState={pipe.state?.toLowerCase() !== look.word.toLowerCase()}
      />
      <div className="actions commands">
        {commands
          .filter((command) => isOffered(pipe, command))
          .map((command) => (
            <CommandButton
              key={command}
              command={command}
              name={name}
              unavailable={underWay}
              onClick={() => (consequences[command] ? setAsking(command) : send(command))}
            />
          ))}
      </div>
      <Complaints problems={complaints} onDismiss={dismiss} />
      {asking && consequence && (
        <Ask
          question={`${commandWords[asking]} ${name}?`}
          consequence={consequence}
          yes={`${commandWords[asking]} pipe`}
          onAnswer={(agreed) => {
            setAsking(undefined);
            if (agreed) void send(asking);
          }}
        />
      )}
    </article>
  );
};

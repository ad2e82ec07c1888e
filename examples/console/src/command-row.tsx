import { type ReactNode, useRef, useState } from 'react';
import { Ask } from './ask.tsx';
import { CommandButton } from './command-button.tsx';
import { Complaints } from './notice.tsx';
import { State } from './state.tsx';
import { type Outcome, useCommand } from './use-command.ts';
import { useFocusKeeper } from './use-focus-keeper.ts';
import { useProgress } from './use-progress.ts';
import { type Command, commandWords, type Look } from './words.ts';

/** A pipe or a service. */
interface Commanded<Of extends Command> {
  readonly phase: string;
  readonly state: string | null;
  readonly availableCommands: readonly Of[];
}

interface CommandRowProps<Of extends Command, Item extends Commanded<Of>> {
  readonly nodeId: string;
  readonly name: string;
  /** What has this name, such as `pipe`. */
  readonly thing: string;
  readonly given: Item;
  readonly about: ReactNode;
  readonly looks: Readonly<Record<Item['phase'], Look>>;
  /** In the order of their columns. */
  readonly commands: readonly Of[];
  /** The warnings before commands with consequences. */
  readonly consequences: Readonly<Partial<Record<Of, string>>>;
  readonly perform: (command: Of) => Promise<Outcome<Item>>;
}

/** A row with a state and command buttons. */
export const CommandRow = <Of extends Command, Item extends Commanded<Of>>({
  nodeId,
  name,
  thing,
  given,
  about,
  looks,
  commands,
  consequences,
  perform,
}: CommandRowProps<Of, Item>) => {
  const [asking, setAsking] = useState<Of>();
  const row = useRef<HTMLElement>(null);
  useFocusKeeper(row);
  const command = useCommand('management', given, perform);
  const { item, send, underWay, said, complaints, dismiss } = command;
  const progress = useProgress(underWay, { soon: 'Sending…', late: 'Still sending…' });
  const look = looks[item.phase as Item['phase']];
  const consequence = asking && consequences[asking];
  const news = progress ?? said;
  return (
    <article id={nodeId} className="row" aria-label={name} tabIndex={-1} ref={row}>
      <div className="facts">
        <strong>{name}</strong>
        <small>
          {about}
          {news && ' · '}
        </small>
        <small className="said" role="status">
          {news}
        </small>
      </div>
      <State
        look={look}
        state={item.state}
        showsState={item.state?.toLowerCase() !== look.word.toLowerCase()}
      />
      <div className="actions commands">
        {commands
          .filter((command) => item.availableCommands.includes(command))
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
          yes={`${commandWords[asking]} ${thing}`}
          onAnswer={(agreed) => {
            setAsking(undefined);
            if (agreed) void send(asking);
          }}
        />
      )}
    </article>
  );
};

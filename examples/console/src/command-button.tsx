import { useRef } from 'react';
import { Button } from './button.tsx';
import { useFocusKeeper } from './use-focus-keeper.ts';
import { type Command, commandWords } from './words.ts';

interface CommandButtonProps {
  readonly command: Command;
  /** The name of its pipe or service. */
  readonly name: string;
  readonly unavailable: boolean;
  readonly onClick: () => void;
}

/** A command's button, always in the same column, so that no other button moves under the mouse. */
export const CommandButton = ({ command, name, ...props }: CommandButtonProps) => {
  const button = useRef<HTMLButtonElement>(null);
  useFocusKeeper(button);
  return (
    <Button ref={button} data-command={command} {...props}>
      {commandWords[command]}
      <span className="unseen"> {name}</span>
    </Button>
  );
};

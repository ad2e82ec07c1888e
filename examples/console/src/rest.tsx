import { useRef } from 'react';
import { Button } from './button.tsx';
import { useFocusKeeper } from './use-focus-keeper.ts';

interface RestProps {
  /** The number of hidden entries. */
  readonly count: number;
  readonly onShow: () => void;
}

/** Shows the rest of a long list. */
export const Rest = ({ count, onShow }: RestProps) => {
  const button = useRef<HTMLButtonElement>(null);
  useFocusKeeper(button);
  return (
    <Button ref={button} className="rest" onClick={onShow}>
      Show {count} more
    </Button>
  );
};

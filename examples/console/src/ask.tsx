import { useEffect, useId, useRef } from 'react';

interface AskProps {
  readonly question: string;
  readonly consequence: string;
  /** Label of the button that confirms. */
  readonly yes: string;
  readonly onAnswer: (agreed: boolean) => void;
}

/** A question that must be answered before the page continues. Escape cancels. */
export const Ask = ({ question, consequence, yes, onAnswer }: AskProps) => {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onClose={({ currentTarget }) => onAnswer(currentTarget.returnValue === 'yes')}
    >
      <form method="dialog">
        <h2 id={id}>{question}</h2>
        <p>{consequence}</p>
        <div className="answers">
          <button type="submit" value="no">
            Cancel
          </button>
          <button type="submit" value="yes" className="danger">
            {yes}
          </button>
        </div>
      </form>
    </dialog>
  );
};

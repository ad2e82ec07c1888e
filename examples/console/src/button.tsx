import type { ComponentProps } from 'react';

interface ButtonProps extends ComponentProps<'button'> {
  /** Cannot be pressed now. It keeps the focus all the same, or the keyboard would lose its place. */
  readonly unavailable?: boolean;
}

export const Button = ({ unavailable = false, onClick, ...props }: ButtonProps) => (
  <button
    type="button"
    {...props}
    aria-disabled={unavailable || undefined}
    onClick={(event) => {
      if (unavailable) event.preventDefault();
      else onClick?.(event);
    }}
  />
);

import type { ComponentProps } from 'react';

interface ButtonProps extends ComponentProps<'button'> {
  /** Disables the button without removing its focus, so that keyboard users keep their position. */
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

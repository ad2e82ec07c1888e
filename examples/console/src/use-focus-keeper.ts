import { type RefObject, useLayoutEffect } from 'react';

/**
 * When an element disappears while it has the focus, or contains it, the nearest focusable element around it gets the focus.
 * Otherwise the keyboard would start at the top of the page.
 */
export const useFocusKeeper = (ref: RefObject<HTMLElement | null>): void => {
  useLayoutEffect(() => {
    const element = ref.current;
    return () => {
      if (!element?.contains(document.activeElement)) return;
      element.parentElement?.closest<HTMLElement>('[tabindex="-1"]')?.focus();
    };
  }, [ref]);
};

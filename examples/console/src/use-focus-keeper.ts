import { type RefObject, useLayoutEffect } from 'react';

/**
 * When an element goes away with the focus on it or in it, the nearest part of the page around it that can have the focus
 * gets it. The keyboard would begin at the top of the page otherwise.
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

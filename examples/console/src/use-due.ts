import { useEffect, useEffectEvent } from 'react';
import { useVisible } from './use-visible.ts';

/**
 * Runs `task` at the time `due`; on a page that is hidden then, as soon as it is seen again. The signal aborts when
 * the page is hidden, `due` is replaced, or the part of the page goes away.
 */
export const useDue = (due: Date | undefined, task: (signal: AbortSignal) => void): void => {
  const visible = useVisible();
  const run = useEffectEvent(task);
  useEffect(() => {
    if (due === undefined || !visible) return;
    const controller = new AbortController();
    const milliseconds = due.getTime() - Date.now();
    const timer =
      milliseconds > 0 ? setTimeout(() => run(controller.signal), milliseconds) : undefined;
    if (timer === undefined) run(controller.signal);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [due, visible]);
};

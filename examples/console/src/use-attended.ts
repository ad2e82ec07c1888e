import { useEffect, useState } from 'react';

/** A short look at another tab should not cause new reads. */
const graceMs = 60_000;

/** False after the page has been hidden for a minute, until it is visible again. */
export const useAttended = (): boolean => {
  const [attended, setAttended] = useState(true);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = (): void => {
      clearTimeout(timer);
      if (document.visibilityState === 'visible') setAttended(true);
      else timer = setTimeout(() => setAttended(false), graceMs);
    };
    look();
    document.addEventListener('visibilitychange', look);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', look);
    };
  }, []);
  return attended;
};

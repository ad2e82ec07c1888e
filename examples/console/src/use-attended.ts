import { useEffect, useState } from 'react';

/** Somebody who looks at another tab for a moment does not cost the services a fresh start. */
const graceMs = 60_000;

/** False once the page has been hidden for a minute, until somebody sees it again. */
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

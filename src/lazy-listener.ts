import type { RequestListener } from 'node:http';
import { lazy } from './lazy.ts';

/** A listener that is made, with all that it imports, when its first request arrives. */
export const createLazyListener = (
  make: () => Promise<RequestListener>,
  onFailure: (error: unknown) => void,
): RequestListener => {
  const listening = lazy(make);
  return (request, response) => {
    listening().then(
      (listener) => {
        // Whoever has left meanwhile would not be noticed by a listener that comes after it.
        if (!response.destroyed) listener(request, response);
      },
      (error: unknown) => {
        onFailure(error);
        response.destroy();
      },
    );
  };
};

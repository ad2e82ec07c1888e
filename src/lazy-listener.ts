import type { RequestListener } from 'node:http';

/** A listener that is made, with all that it imports, when its first request arrives. */
export const createLazyListener = (
  make: () => Promise<RequestListener>,
  onFailure: (error: unknown) => void,
): RequestListener => {
  let made: Promise<RequestListener> | undefined;
  return (request, response) => {
    made ??= make();
    made.then(
      (listener) => {
        // Whoever has left meanwhile would not be noticed by a listener that comes after it.
        if (!response.destroyed) listener(request, response);
      },
      (error: unknown) => {
        made = undefined;
        onFailure(error);
        response.destroy();
      },
    );
  };
};

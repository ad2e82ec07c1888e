import { setFlagsFromString } from 'node:v8';

/**
 * Keeps V8 from making objects in its old generation straight away. It does so for each place in the code most
 * of whose objects have lived through a collection or two, which under load may be true of a place by chance: whenever the
 * collections happened to fall between two answers that an operation waits for. From then on all that
 * is made there, and all that it refers to, stays until a full collection, and each collection of the
 * young generation takes ten times as long. Nothing that a request makes lives longer than the request.
 */
export const keepGarbageYoung = (): void => {
  // Read at each collection, so that it may be set late. A V8 that does not know it says so, and goes on.
  setFlagsFromString('--no-allocation-site-pretenuring');
};

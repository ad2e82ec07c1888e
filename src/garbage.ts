import { setFlagsFromString } from 'node:v8';

/**
 * Keeps V8 from making objects in its old generation straight away. It does so for each place in the code most
 * of whose objects have lived through a collection or two, which under load may be true of a place by chance: whenever the
 * collections happened to fall between two answers that an operation waits for. From then on all that
 * is made there, and all that it refers to, stays until a full collection, and each collection of the
 * young generation takes many times as long. What answers are made of never lives longer than the request.
 *
 * To be called once everything is loaded: V8 takes no code from Node's own cache that was made under other flags.
 */
export const keepGarbageYoung = (): void => {
  // V8 reads it at each collection. One that does not know it says so, and goes on.
  setFlagsFromString('--no-allocation-site-pretenuring');
};

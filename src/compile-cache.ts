import { enableCompileCache, flushCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

/**
 * Keeps what Node compiles, types stripped, for the next start, which then takes half as long. The folder is the
 * installation's own: what is read from it is run, so that nobody else may be able to write there. Where
 * this process may not write either, every start is a first one.
 */
export const useCompileCache = (): void => {
  enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/sluice', import.meta.url)));
  // Node itself writes at a normal end alone, which a container's process may never come to.
  setTimeout(flushCompileCache, 3000).unref();
};

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const urlOf = (name: string): URL => new URL(`../../../${name}`, import.meta.url);

/** The demo as npm would run it, ended by its id: with the test, or when somebody says so who is told how. */
export const startDemo = (
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
  whenDone: (stop: () => void) => void = onTestFinished,
) => {
  const child = spawn(
    process.execPath,
    [
      ...['--import', urlOf('src/preload.js').href],
      ...[fileURLToPath(urlOf('sandbox/demo.ts')), ...args],
    ],
    { env: { PATH: process.env.PATH ?? '', PORT: '0', ...env }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  whenDone(() => {
    child.kill('SIGKILL');
  });
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  return { child, ended: once(child, 'close').then(([code]) => ({ code, errors })) };
};

/** What a demo prints until it has told everything. A demo that ends before is an error with its words. */
export const printedBy = async ({
  child,
  ended,
}: ReturnType<typeof startDemo>): Promise<string> => {
  const failed = ended.then(({ errors }) => {
    throw new Error(`the demo has ended: ${errors}`);
  });
  // It ends with the test at the latest, when nobody waits any more.
  failed.catch(() => undefined);
  let printed = '';
  while (!printed.includes('Ctrl-C')) {
    const [chunk] = await Promise.race([once(child.stdout, 'data'), failed]);
    printed += chunk;
  }
  return printed;
};

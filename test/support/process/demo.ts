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

/** What a demo prints until it has told everything. */
export const printedBy = async ({ child }: ReturnType<typeof startDemo>): Promise<string> => {
  let printed = '';
  while (!printed.includes('Ctrl-C')) {
    const [chunk] = await once(child.stdout, 'data');
    printed += chunk;
  }
  return printed;
};

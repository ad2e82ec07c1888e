import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';

const urlOf = (name: string): URL => new URL(`../${name}`, import.meta.url);
const path = (name: string): string => fileURLToPath(urlOf(name));

/** A script as npm would run it, ended with the test by its id. */
const start = (args: readonly string[], env: Readonly<Record<string, string>>) => {
  const child = spawn(process.execPath, ['--import', urlOf('src/preload.js').href, ...args], {
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  return { child, ended: once(child, 'close').then(([code]) => ({ code, errors })) };
};

describe('the demo with a setting that is wrong', () => {
  it.each([
    ['a port that is none', { PORT: 'abc' }, 'PORT must be a port from 0 to 65535, got "abc"'],
    [
      'a file that cannot be read',
      { PERSISTED_OPERATIONS: 'only', PERSISTED_OPERATIONS_FILE: '/nope' },
      'PERSISTED_OPERATIONS_FILE "/nope" cannot be read',
    ],
  ])('says so and ends: %s', async (_, env, message) => {
    const { ended } = start([path('sandbox/demo.ts')], env);
    expect(await ended).toEqual({ code: 1, errors: `demo: ${message}\n` });
  });
});

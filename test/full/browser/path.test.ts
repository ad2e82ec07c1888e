import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const vitest = fileURLToPath(new URL('../../../node_modules/vitest/vitest.mjs', import.meta.url));

/** The tests of two files, one of which is in a browser, where CHROMIUM is so. */
const testsWith = (browser: string): Promise<{ code: unknown; out: string; errors: string }> =>
  new Promise((resolve) => {
    const files = ['test/full/browser/client.test.ts', 'test/errors/upstream-words.test.ts'];
    const env = { PATH: process.env.PATH ?? '', CHROMIUM: browser, NO_COLOR: '1' };
    execFile(
      process.execPath,
      [vitest, 'run', ...files],
      { cwd: root, env },
      (error, out, errors) => resolve({ code: error?.code ?? 0, out, errors }),
    );
  });

it('skips the tests in a browser alone where there is none, and says so in a line', async () => {
  const { code, out, errors } = await testsWith('none');
  expect(errors).toBe('No Chromium here: the tests in a browser are skipped (CHROMIUM=path).\n');
  expect(out).toMatch(/Test Files +1 passed \| 1 skipped/);
  expect(code).toBe(0);
});

it('fails where the browser that is asked for does not exist', async () => {
  const { code, out, errors } = await testsWith('/nope');
  expect(out + errors).toContain(
    'CHROMIUM must be the path of a browser, and /nope does not exist',
  );
  expect(code).toBe(1);
});

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url));

/** Any file that exists: nothing is said of this program, and no test of these files starts it. */
const there = {
  CHROMIUM: process.execPath,
  NGINX: process.execPath,
  REDIS_SERVER: process.execPath,
};

/** The tests of two files, one of which needs the program. */
const testsWith = (
  file: string,
  environment: Readonly<Record<string, string>>,
): Promise<{ code: unknown; out: string; errors: string }> =>
  new Promise((resolve) => {
    const env = { PATH: process.env.PATH ?? '', NO_COLOR: '1', ...there, ...environment };
    execFile(
      process.execPath,
      [vitest, 'run', file, 'test/process/log.test.ts'],
      { cwd: root, env },
      (error, out, errors) => resolve({ code: error?.code ?? 0, out, errors }),
    );
  });

describe.each([
  {
    what: 'in a browser',
    variable: 'CHROMIUM',
    file: 'test/full/browser/client.test.ts',
    line: 'No Chromium here: the tests in a browser are skipped (CHROMIUM=path).\n',
    fault: 'CHROMIUM must be the path of a browser, and /nope does not exist',
  },
  {
    what: 'with nginx',
    variable: 'NGINX',
    file: 'test/full/proxies/nginx.test.ts',
    line: 'No nginx here: the tests with nginx are skipped (NGINX=path).\n',
    fault: 'NGINX must be the path of nginx, and /nope does not exist',
  },
  {
    what: 'with Redis',
    variable: 'REDIS_SERVER',
    file: 'test/redis/room.test.ts',
    line: 'No Redis here: the tests with Redis are skipped (REDIS_SERVER=path).\n',
    fault: 'REDIS_SERVER must be the path of redis-server, and /nope does not exist',
  },
])('the tests $what', ({ variable, file, line, fault }) => {
  it('alone are skipped where there is none, and a line says so', async () => {
    const { code, out, errors } = await testsWith(file, { [variable]: 'none' });
    expect(errors).toBe(line);
    expect(out).toMatch(/Test Files +1 passed \| 1 skipped/);
    expect(code).toBe(0);
  });

  it('fail where the one that is asked for does not exist', async () => {
    const { code, out, errors } = await testsWith(file, { [variable]: '/nope' });
    expect(out + errors).toContain(fault);
    expect(code).toBe(1);
  });
});

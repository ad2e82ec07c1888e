import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';

const urlOf = (name: string): URL => new URL(`../../${name}`, import.meta.url);
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
    ['limits that are no switch', { SANDBOX_LIMITS: 'none' }, 'SANDBOX_LIMITS must be on or off'],
  ])('says so and ends: %s', async (_, env, message) => {
    const { ended } = start([path('sandbox/demo.ts')], env);
    expect(await ended).toEqual({ code: 1, errors: `demo: ${message}\n` });
  });
});

describe('the demo', () => {
  const printedBy = async (env: Readonly<Record<string, string>>): Promise<string> => {
    const { child } = start([path('sandbox/demo.ts')], { PORT: '0', ...env });
    let printed = '';
    while (!printed.includes('Ctrl-C')) {
      const [chunk] = await once(child.stdout, 'data');
      printed += chunk;
    }
    return printed;
  };

  it.each([
    [
      'with its real limits',
      {},
      '10 requests in 10 s for each key, 100 a minute for each token',
      '100',
      { management: 10, observability: null },
    ],
    [
      'without limits',
      { SANDBOX_LIMITS: 'off' },
      'none, by SANDBOX_LIMITS=off',
      null,
      { management: null, observability: null },
    ],
  ])('runs %s, and says so', async (_, env, told, limit, budget) => {
    const printed = await printedBy(env);
    expect(printed).toMatch(new RegExp(`^ {2}limits +${told}`, 'm'));
    const url = /^ {2}observability +(\S+)/m.exec(printed)?.[1] ?? '';
    expect((await fetch(url)).headers.get('ratelimit-limit')).toBe(limit);
    const gateway = /^ {2}GraphiQL +(\S+)/m.exec(printed)?.[1] ?? '';
    const [, credential = ''] = /Management-Authorization: (Basic \S+)/.exec(printed) ?? [];
    const response = await fetch(gateway, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'sluice-explain': '1',
        'management-authorization': credential,
      },
      body: JSON.stringify({ query: '{ __typename }' }),
    });
    expect(await response.json()).toMatchObject({ extensions: { budget } });
  });

  it('tells the credentials that fail on purpose in two lines', async () => {
    const printed = await printedBy({});
    expect(printed.split('\n').filter((line) => line.includes('demo-429'))).toEqual([
      '  failing         demo-429, demo-500, demo-503, demo-slow, demo-html, demo-cut fail on purpose, as a token',
      '                  (Bearer demo-429) or as key id and secret (Basic $(printf demo-429:demo-429 | base64))',
    ]);
  });
});

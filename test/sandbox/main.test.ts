import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { open } from '../support/sandbox/harness.ts';

const main = fileURLToPath(new URL('../../sandbox/main.ts', import.meta.url));

const run = (env: Readonly<Record<string, string>>, args: readonly string[] = []) => {
  const child = spawn(process.execPath, [main, ...args], {
    env: {
      ...process.env,
      SANDBOX_MANAGEMENT_PORT: '0',
      SANDBOX_OBSERVABILITY_PORT: '0',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const output = { text: '', errors: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.text += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.errors += text;
  });
  return { child, output };
};

/** A pasted line's words: single quotes keep a word together. */
const words = (line: string): readonly string[] =>
  [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');

const runToEnd = async (env: Readonly<Record<string, string>>, args: readonly string[] = []) => {
  const { child, output } = run(env, args);
  const [code] = await once(child, 'close');
  return { code, ...output };
};

it.each(['SIGINT', 'SIGTERM'] as const)(
  'prints URLs and lines that work, and stops cleanly on %s',
  async (signal) => {
    const { child, output } = run({});
    while (!output.text.includes('Ctrl-C')) await once(child.stdout, 'data');
    const lines = output.text.split('\n').filter((line) => line.startsWith('curl '));
    expect(lines).toHaveLength(2);
    for (const line of lines) {
      const [, , flag, value = '', url = ''] = words(line);
      const authorization =
        flag === '-u'
          ? `Basic ${Buffer.from(value).toString('base64')}`
          : value.replace('Authorization: ', '');
      expect((await fetch(url, { headers: { authorization } })).status).toBe(200);
    }
    child.kill(signal);
    const [code] = await once(child, 'close');
    expect([code, output.errors]).toEqual([0, '']);
  },
);

it.each(['x', '-1', '65536', '41.5', '0x10'])('refuses the port %s in one line', async (port) => {
  const { code, text, errors } = await runToEnd({ SANDBOX_OBSERVABILITY_PORT: port });
  expect([code, text, errors]).toEqual([
    1,
    '',
    'sandbox: SANDBOX_OBSERVABILITY_PORT must be a port: an integer from 0 to 65535\n',
  ]);
});

it.each(['offf', '0', 'true'])('refuses SANDBOX_LIMITS=%s in one line', async (value) => {
  const { code, text, errors } = await runToEnd({ SANDBOX_LIMITS: value });
  expect([code, text, errors]).toEqual([1, '', 'sandbox: SANDBOX_LIMITS must be on or off\n']);
});

it.each([
  ['nothing', '', '10 requests in 10 s for each key, 100 a minute for each token', '100'],
  ['on', 'ON', '10 requests in 10 s for each key, 100 a minute for each token', '100'],
  ['off', ' off', 'none, by SANDBOX_LIMITS=off', null],
])('keeps and tells the limits with SANDBOX_LIMITS as %s', async (_, value, told, limit) => {
  const { child, output } = run({ SANDBOX_LIMITS: value });
  while (!output.text.includes('Ctrl-C')) await once(child.stdout, 'data');
  expect(output.text).toContain(`\nLimits: ${told}`);
  const url = /Observability interface +(\S+)/.exec(output.text)?.[1] ?? '';
  expect((await fetch(url)).headers.get('ratelimit-limit')).toBe(limit);
});

it('tells the credentials that fail on purpose in one line', async () => {
  const { child, output } = run({});
  while (!output.text.includes('Ctrl-C')) await once(child.stdout, 'data');
  expect(output.text.split('\n').filter((line) => line.includes('demo-429'))).toEqual([
    'Fail on purpose, as a token or as key id and secret (-u demo-429:demo-429): ' +
      'demo-429, demo-500, demo-503, demo-524, demo-slow, demo-html, demo-cut.',
  ]);
});

it('listens on SANDBOX_HOST, and says in one line that this machine does not have it', async () => {
  const { code, text, errors } = await runToEnd({ SANDBOX_HOST: '192.0.2.1' });
  expect([code, text]).toEqual([1, '']);
  expect(errors).toMatch(/^sandbox: .*EADDRNOTAVAIL.*192\.0\.2\.1.*\n$/);
});

it('names a busy port in one line', async () => {
  const { sandbox } = await open();
  const { port } = new URL(sandbox.managementUrl);
  const { code, text, errors } = await runToEnd({ SANDBOX_MANAGEMENT_PORT: port });
  expect([code, text]).toEqual([1, '']);
  expect(errors).toMatch(new RegExp(`^sandbox: port ${port} is in use: .*\\n$`));
});

it.each([
  [[], 'engineVersion', "reference (--profile live: today's ClickHouse Cloud and HyperDX)"],
  [['--profile', 'reference'], 'engineVersion', 'reference ('],
  [['--profile', 'live'], 'clickhouseVersion', 'live (ClickHouse Cloud and HyperDX, as of August'],
])('plays the services that %j asks for, and says so', async (args, member, told) => {
  const { child, output } = run({}, args);
  while (!output.text.includes('Ctrl-C')) await once(child.stdout, 'data');
  expect(output.text).toContain(`\nProfile: ${told}`);
  const [, , , value = '', url = ''] = words(/^curl .*$/m.exec(output.text)?.[0] ?? '');
  const authorization = `Basic ${Buffer.from(value).toString('base64')}`;
  const body = await (await fetch(url, { headers: { authorization } })).json();
  expect(body).toHaveProperty(`result.${member}`);
});

it('prints the key of a fleet, which it tells the size of', async () => {
  const { child, output } = run({}, ['--services', '6']);
  while (!output.text.includes('Ctrl-C')) await once(child.stdout, 'data');
  expect(output.text).toContain('\nFleet: 6 services, 1 of them asleep.\n');
  const [, authorization = ''] = /^ {2}fleet +\S+ +(Basic \S+)$/m.exec(output.text) ?? [];
  const [, url = ''] = /Management interface +(\S+)/.exec(output.text) ?? [];
  const body = await (
    await fetch(`${url}/v1/organizations`, { headers: { authorization } })
  ).json();
  expect(body).toMatchObject({ result: [{ name: 'Tidewater Logistics' }] });
});

it('says in one line which arguments there are', async () => {
  const { code, text, errors } = await runToEnd({}, ['--live']);
  const message =
    'the arguments are none, or --profile live (or --profile live-2.13, or --profile reference), --services 120 (from 1 to 1000), or both, or --help';
  expect([code, text, errors]).toEqual([1, '', `sandbox: ${message}\n`]);
});

it.each(['demo', 'sandbox'])('npm run %s passes its arguments on', async (script) => {
  const child = spawn('npm', ['run', '--silent', script, '--', '--profile', 'none'], {
    cwd: new URL('../..', import.meta.url),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  await once(child, 'close');
  expect(errors).toContain(`${script}: the arguments are none, or --profile live`);
});

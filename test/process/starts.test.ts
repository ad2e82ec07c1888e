import { describe, expect, it } from 'vitest';
import { section, table } from '../support/docs/pages.ts';
import { post } from '../support/http/requests.ts';
import { printedBy, startDemo } from '../support/process/demo.ts';
import { listen, node, run, sendAlerts } from '../support/process/run-main.ts';

const url = 'http://127.0.0.1:1';
const urls = { MANAGEMENT_URL: url, OBSERVABILITY_URL: url };

/** Makes Node say that it is another version. */
const pretending = (version: string) => {
  const source = `Object.defineProperty(process.versions, 'node', { value: '${version}' })`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(source)}` };
};

const cannot = 'Sluice cannot start:';
const required = ['  MANAGEMENT_URL is required', '  OBSERVABILITY_URL is required'];
const needs = 'Sluice needs Node 22.19 or newer and was started with';
const unknown = '--help lists what it takes';
const observability = { OBSERVABILITY_URL: url };
const slip = { MANAGEMENT_ULR: 'https://user:cnry@management.example' };
const faulty = {
  ...{ MANAGEMENT_URL: 'https://user:cnry@a.example', OBSERVABILITY_URL: 'ftp://b.example' },
  ...{ PORT: 'http', LOG_FORMAT: 'xml' },
};

const musts = Object.keys(faulty).map((name) => `  ${name} must be`);
const slipped = [
  '  MANAGEMENT_URL is required',
  '  MANAGEMENT_ULR is not a setting. Did you mean MANAGEMENT_URL?',
];
const metrics = { PORT: '0', METRICS_PORT: 'TAKEN' };

type Row = [
  title: string,
  env: Readonly<Record<string, string>>,
  args: string[],
  ...said: string[],
];
/** `TAKEN` stands for a port that is in use, and `…` for any text; so much of each line, one after the other. */
it.each<Row>([
  ['without its URLs', {}, [], cannot, ...required],
  ['with faults, of which each has a line', faulty, [], cannot, ...musts],
  ['with a name similar to a setting', { ...observability, ...slip }, [], cannot, ...slipped],
  // An address of a network that is kept for documentation (RFC 5737).
  ['on an address of none', { ...urls, HOST: '192.0.2.1' }, [], '192.0.2.1:4000…HOST.'],
  ['where PORT is in use', { ...urls, PORT: 'TAKEN' }, [], '127.0.0.1:TAKEN…PORT'],
  ['where METRICS_PORT is in use', { ...urls, ...metrics }, [], '127.0.0.1:TAKEN…METRICS_PORT'],
  ['with an unknown argument', {}, ['--check', '--port=cnry'], `the argument --port. ${unknown}`],
  ['with a secret for an argument', {}, ['cnry'], `one of the arguments. ${unknown}`],
  ['on Node 22.18', pretending('22.18.0'), [], `${needs} 22.18.0: `],
  ['on Node 22.19 without its URLs', pretending('22.19.0'), [], cannot, ...required],
])('the gateway does not start %s, and says why in a line, without a secret', async (...row) => {
  const [, env, args, ...said] = row;
  const { port } = await listen(sendAlerts);
  const withPort = (text: string): string => text.replace('TAKEN', String(port));
  const given = Object.entries(env).map(([name, value]) => [name, withPort(value)]);
  // As npm starts it, which says which Node it needs.
  const imports = 'NODE_OPTIONS' in env ? ['--import', './src/preload.js'] : [];
  const command = [process.execPath, ...imports, 'src/main.ts', ...args] as const;
  const { code, text, errors } = await run(Object.fromEntries(given), command).ended;
  expect([code, text]).toEqual([1, '']);
  const lines = said.map((line) => withPort(line).split('…').map(RegExp.escape).join('.*'));
  expect(errors).toMatch(new RegExp(`^${lines.map((line) => `.*${line}.*\\n`).join('')}$`));
  expect(errors).not.toContain('cnry');
});

it('logs as warnings a name that is similar to a setting, and a setting that has no effect', async () => {
  const gateway = run({
    ...urls,
    ...{ ...slip, PORT: '0', MCP_MAX_CHARACTERS: '9' },
  });
  await gateway.logged('listening');
  const idle = { setting: 'MCP_MAX_CHARACTERS', reason: 'has no effect while MCP is off' };
  const message = 'a setting does not do what it says beside another';
  expect(await gateway.logged(message)).toMatchObject({ level: 'warn', ...idle });
  const warning = await gateway.logged('unknown setting, similar to a known one');
  const named = { variable: 'MANAGEMENT_ULR', meant: 'MANAGEMENT_URL' };
  expect(warning).toMatchObject({ level: 'warn', ...named });
  expect(gateway.output.text).not.toContain('cnry');
});

it('--help says what it is, its exit codes, and each setting of docs/operating.md with its default', async () => {
  const { code, text, errors } = await run({ PORT: 'wrong' }, [...node, '--help']).ended;
  expect([code, errors]).toEqual([0, '']);
  expect(text).toMatch(/^Sluice is a GraphQL gateway /);
  expect(text).toMatch(/^Exit code: 0 .*1 .*\n?.*2 if check cannot reach an upstream/m);
  for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(110);
  expect(text).not.toMatch(/`|\]\(/);
  const shown = [...text.matchAll(/^ {2}([A-Z_]+) +(\S+) +\S.*$/gm)].map((row) => row.slice(1));
  const rows = table(section('docs/operating.md', 'Settings'), 'Variable', 'Default');
  expect(shown.length).toBeGreaterThan(25);
  const settings = rows.filter(([, fallback]) => fallback !== '').map((row) => row.slice(0, 2));
  expect(shown.sort()).toEqual(settings.sort());
});

/** What the demo prints, and an operation sent with the address and the key that it names. */
const useDemo = async (...start: Parameters<typeof startDemo>) => {
  const demo = startDemo(...start);
  const printed = await printedBy(demo);
  const [, address = ''] = /^ {2}GraphiQL +(\S+)/m.exec(printed) ?? [];
  const [, credential = '', body = ''] =
    /^curl -s \S+ .*-H 'Management-Authorization: (.*?)' .*-d '(.*)'$/m.exec(printed) ?? [];
  const headers = {
    ...{ 'management-authorization': credential, 'sluice-explain': '1' },
    'observability-authorization': 'Bearer demo-main-token',
  };
  const ask = async (query: string) => (await post(address, query, headers)).json();
  return { printed, output: demo.output, ask, query: body === '' ? '' : JSON.parse(body).query };
};

describe('the demo', () => {
  const rule =
    'invalid arguments: the options are --profile live (or live-2.13, clickstack-cloud, or reference), --services 120 (from 1 to 1000) and --help';
  const manifest = { PERSISTED_OPERATIONS: 'only', PERSISTED_OPERATIONS_FILE: '/nope' };
  it.each([
    ['', { PORT: 'abc' }, 'PORT must be a port from 0 to 65535, got "abc"'],
    ['', { SANDBOX_LIMITS: 'none' }, 'SANDBOX_LIMITS must be on or off'],
    ['', manifest, 'PERSISTED_OPERATIONS_FILE "/nope" cannot be read'],
    ['--profile cloud', {}, rule],
    ['--services 0', {}, rule],
    ['--services 1001', {}, rule],
  ])('the demo does not start with "%s" and %j', async (args, env, said) => {
    const given = args === '' ? [] : args.split(' ');
    expect(await startDemo(given, env).ended).toEqual({ code: 1, errors: `demo: ${said}\n` });
  });

  it('the demo names the paths for REST tools: with one tree those of management alone', async () => {
    const demo = startDemo(['--profile', 'clickstack-cloud'], { REST: 'read' });
    expect(await printedBy(demo)).toMatch(/^ {2}REST tools +http:\/\/127[.\d]+:\d+\/management$/m);
  });

  it('the demo tells of a setting that has no effect', async () => {
    const demo = startDemo([], { MCP_MAX_CHARACTERS: '9' });
    await printedBy(demo);
    const warning = 'demo: MCP_MAX_CHARACTERS has no effect while MCP is off.\n';
    await expect.poll(() => demo.output.errors).toBe(warning);
  });

  it('the demo prints its limits, its profile, how to have others, and what fails on purpose', async () => {
    // It takes its profile from its arguments alone, as its sandbox does, and reaches that without a proxy.
    const profiles = { MANAGEMENT_PROFILE: 'clickhouse-cloud', OBSERVABILITY_PROFILE: 'hyperdx' };
    const env = { ...profiles, HTTP_PROXY: 'http://127.0.0.1:9' };
    const { printed, output, ask, query } = await useDemo([], env);
    for (const line of [
      '  limits          10 requests in 10 s for each key, 100 a minute for each token',
      "  profile         reference (--profile live: today's ClickHouse Cloud and HyperDX)\n",
      '  fleet           none (--services 120: an organization of 120 services)\n',
      '  failing         demo-429, demo-500, demo-503, demo-524, demo-slow, demo-html, demo-cut fail',
    ]) {
      expect(printed).toContain(`\n${line}`);
    }
    const answer = await ask(query);
    expect(answer).not.toHaveProperty('errors');
    expect(answer.extensions.budget.management).toBeLessThan(10);
    // It logs warnings alone, unless LOG_LEVEL is given.
    expect(output.text).toBe(printed);
  });

  it('the demo has a fleet and no limits where it is told, and prints a line that works', async () => {
    const args = ['--services', '6', '--profile', 'live'];
    const env = { SANDBOX_LIMITS: 'off', LOG_LEVEL: 'info' };
    const { printed, output, ask, query } = await useDemo(args, env);
    expect(printed).toContain('\n  limits          none, by SANDBOX_LIMITS=off');
    expect(printed).toMatch(
      /^ {2}fleet +6 services, 1 of them asleep {2}Management-Authorization: Basic ZGVtby1mbGVldC1rZXk6/m,
    );
    const asked = query.replace('items', 'unreadServices { code } items').replace(/alerts.*/, '}');
    const { data, extensions } = await ask(asked);
    expect(data.organizations).toMatchObject([
      { name: 'Tidewater Logistics', pipes: { unreadServices: [{ code: 'SERVICE_NOT_RUNNING' }] } },
    ]);
    expect(extensions.budget.management).toBeNull();
    await expect.poll(() => output.text).toContain('"msg":"operation"');
  });
});

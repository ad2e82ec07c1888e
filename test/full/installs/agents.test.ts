import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { call, type Members } from '../../agents/agent.ts';
import {
  credentialsIn,
  failed,
  optionsOf,
  reads,
  running,
  runningNames,
} from '../../agents/table.ts';
import { read } from '../../support/docs/pages.ts';
import { startSandboxStack } from '../../support/harness.ts';

const folder = new URL('../../../examples/agents/', import.meta.url).pathname;
const run = promisify(execFile);

/** Each tool that reads, and what is refused; the last but one has too long an answer. */
const calls: readonly (readonly [string, Members])[] = [
  ...Object.entries(reads).map(([name, [given]]) => [name, given] as const),
  ['get_pipe', { x: 1 }],
  ['list_alerts', { phaseIn: ['BAD'] }],
  ['stop_pipe', { ...running, ...runningNames, confirmName: 'another' }],
  ['get_cost', { fromDate: '2026-10-15', toDate: '2026-11-14', first: 100 }],
  ['nope', {}],
];

interface Answered {
  readonly content: readonly [{ readonly text: string }];
}

/** An answer without its time. */
const timeless = (text: string): string => text.replace(/"now":"[^"]*"/, '');

const open = async () => {
  const stack = await startSandboxStack(optionsOf({ mcpMaxCharacters: 3600 }));
  onTestFinished(() => stack.close());
  return { stack, url: new URL('/mcp', stack.url).href, headers: credentialsIn(stack) };
};

const use = async (kind: string, url: string, headers: object, made: unknown) => {
  const given = [url, ...[headers, made].map((each) => JSON.stringify(each))];
  const { stdout } = await run(process.execPath, ['clients.mjs', kind, ...given], { cwd: folder });
  return JSON.parse(stdout);
};

describe.each(['bridge', 'sdk', 'legacy', 'auto', '2026-07-28'])('the client %s', (kind) => {
  it('gets the list, and from each tool what the gateway answers', async () => {
    const { stack, url, headers } = await open();
    const { tools, results } = await use(kind, url, headers, calls);
    expect(tools.length).toBeGreaterThan(calls.length);
    const refused = results.pop();
    expect(refused).toEqual({ refused: -32602 });
    for (const [at, [name, given]] of calls.slice(0, -1).entries()) {
      const { text, isError } = await call(stack.url, name, given, headers);
      const shown = { ...results[at], content: [{ text: timeless(results[at].content[0].text) }] };
      expect(shown, name).toMatchObject({ content: [{ text: timeless(text) }] });
      expect(
        [results[at].isError ?? false, name in reads && at < Object.keys(reads).length],
        name,
      ).toEqual([isError, !isError]);
    }
    expect(results.at(-1).content[0].text).toMatch(/^ANSWER_TOO_LONG/);
    expect(stack.callList().filter((each) => !each.startsWith('GET'))).toEqual([]);
  });

  it('hears of the progress of a wait', async () => {
    const { url, headers } = await open();
    const waits = [
      ['wait_for', { ...failed, phaseIn: ['FAILED'] }],
      ['wait_for', { ...failed, phaseIn: ['RUNNING'], maxSeconds: 1 }],
    ];
    const { results, progress } = await use(kind, url, headers, waits);
    const read = results.map(({ content }: Answered) => JSON.parse(content[0].text));
    expect(read).toMatchObject([{ reached: true }, { reached: false, waitedSeconds: 1 }]);
    expect(progress.length).toBeGreaterThan(1);
    for (const { total, message } of progress) {
      expect([total, message]).toEqual([expect.any(Number), expect.stringMatching(/^phase /)]);
    }
  });
});

it('what people paste leads a client to the tools', async () => {
  const { url, headers } = await open();
  for (const name of ['claude-code', 'cursor', 'vscode']) {
    const { mcpServers, servers = mcpServers } = JSON.parse(read(`examples/agents/${name}.json`));
    const text = JSON.stringify(servers.sluice.headers)
      .replace(/\$\{[^}]*management[^}]*\}/i, headers['management-authorization'])
      .replace(/\$\{[^}]*observability[^}]*\}/i, headers['observability-authorization']);
    const { results } = await use('auto', url, JSON.parse(text), [['list_services', {}]]);
    expect(results[0].content[0].text, name).toContain('"name":"staging"');
    expect(servers.sluice.url).toBe('http://127.0.0.1:4000/mcp');
  }
});

it.each(['legacy', 'modern'])('the inspector finds no fault in the tools, era %s', async (era) => {
  const { url, headers } = await open();
  const inspector = join(folder, 'node_modules/.bin/mcp-inspector');
  const named = Object.entries(headers).flatMap(([name, value]) => [
    '--header',
    `${name}: ${value}`,
  ]);
  const args = ['--cli', url, '--transport', 'http', '--protocol-era', era, ...named];
  // With a fault it would end with status 6.
  const { stdout, stderr } = await run(process.execPath, [
    inspector,
    ...args,
    '--method',
    'tools/list',
    '--strict',
  ]);
  expect([JSON.parse(stdout).tools.length > 10, stderr]).toEqual([true, '']);
});

import { globSync, readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { sep } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startSandbox } from '../sandbox/server.ts';
import { readConfig } from '../src/config.ts';
import { listenOn } from '../src/gateway/listen.ts';
import { createGatewayServer } from '../src/gateway/server.ts';
import { graphqlPath } from '../src/gateway/yoga.ts';
import { createLog } from '../src/log.ts';

/**
 * `npm run bench:entered`: how many files and functions of src/ a request enters, measured with V8's precise coverage, and
 * how many lines the middle has. `-- --files` lists the files. The gateway runs in this process, with default settings.
 */
const sandbox = await startSandbox();
/** Longer than the parts of a request take, so that each poll is counted by itself. */
const pollMs = 1000;
const gateway = createGatewayServer({
  config: readConfig({
    MANAGEMENT_URL: sandbox.managementUrl,
    OBSERVABILITY_URL: sandbox.observabilityUrl,
  }),
  log: createLog({ write: () => undefined }),
  pollMs: { management: pollMs, observability: pollMs },
});
await gateway.started;
const port = await listenOn(gateway.server, '127.0.0.1', 0);

const { management, observability } = sandbox.credentials;
const request = (query: string, variables: object, headers: object = {}): Promise<Response> =>
  fetch(`http://127.0.0.1:${port}${graphqlPath}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'management-authorization': management.admin.header,
      'observability-authorization': observability.main.header,
      ...headers,
    },
    body: JSON.stringify({ query, variables }),
  });
const send = async (query: string, variables: object): Promise<void> => {
  const response = await request(query, variables);
  const answer = await response.text();
  if (response.status !== 200 || answer.includes('"errors"')) throw new Error(answer);
};

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

const root = fileURLToPath(new URL('../src/', import.meta.url));

/** The files and functions entered since the last call, as a row of the table. Each call resets the counts. */
const enteredSince = async (name: string): Promise<string> => {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const files: string[] = [];
  let functions = 0;
  for (const { url, functions: all } of result) {
    const path = url.startsWith('file:') ? fileURLToPath(url) : '';
    const called = all.filter(({ ranges: [whole] }) => whole && whole.count > 0).length;
    if (called === 0 || !path.startsWith(root)) continue;
    files.push(path.slice(root.length).replaceAll(sep, '/'));
    functions += called;
  }
  if (process.argv.includes('--files')) {
    process.stdout.write(`${name}: ${files.toSorted().join(' ')}\n\n`);
  }
  const inMiddle = files.filter((file) => /^(upstream|live|redis)\//.test(file)).length;
  return `| ${name.padEnd(20)} | ${inMiddle} | ${files.length} | ${functions} |`;
};

const query = `query ($id: ID!) {
  organization(organizationId: $id) { id name services { id name state pipes { id name state } } }
}`;
const mutation = `mutation ($input: UpdateAlertInput!) {
  updateAlert(input: $input) { alert { id name threshold } userErrors { message } }
}`;
const organization = { id: sandbox.world.management.main.organizationId };
const alert = { input: { alertId: 'a1e400000000000000000001', threshold: 7 } };

// Objects that the first request creates once do not count.
await send('{ __typename }', {});
await enteredSince('warm-up');
const rows: string[] = [];
for (const [name, document, variables] of [
  ['cold query', query, organization],
  ['the same from memory', query, organization],
  ['updateAlert', mutation, alert],
] as const) {
  await send(document, variables);
  rows.push(await enteredSince(name));
}
const stream = await request(
  'subscription { alerts { id name threshold } }',
  {},
  {
    accept: 'text/event-stream',
  },
);
const reader = stream.body?.getReader();
for (let text = ''; !text.includes('"data"'); ) {
  const { value, done = true } = (await reader?.read()) ?? {};
  if (done) throw new Error(`No event: ${text}`);
  text += Buffer.from(value ?? []).toString();
}
rows.push(await enteredSince('first event'));
await setTimeout(1.5 * pollMs);
rows.push(await enteredSince('poll'));
const lines = globSync('{upstream,live,redis}/**/*.ts', { cwd: root })
  .filter((file) => !/^upstream.(management|observability)\b/.test(file))
  .reduce((sum, file) => sum + readFileSync(root + file, 'utf8').split('\n').length - 1, 0);
const header = '| request | files of the middle | files of src/ | functions |\n|---|--:|--:|--:|';
process.stdout.write(`${header}\n${rows.join('\n')}\n\n${lines} lines in the middle\n`);

gateway.server.closeAllConnections();
await gateway.close();
await sandbox.close();

/**
 * Lists the tools of an MCP server and calls some of them, with one of these clients:
 * `node clients.mjs <client> <url> <headers as JSON> <[tool, arguments] pairs as JSON>`.
 */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const [kind = 'auto', url, headers = '{}', calls = '[]'] = process.argv.slice(2);
const info = { name: 'sluice-example', version: '0.1.0' };
const at = new URL(url ?? 'http://127.0.0.1:4000/mcp');
const named = Object.entries(JSON.parse(headers));
const options = { requestInit: { headers: Object.fromEntries(named) } };

/** A program that a client without HTTP starts. Other users of the machine see its arguments, but not its environment. */
const bridge = () =>
  new StdioClientTransport({
    command: process.execPath,
    args: [
      'node_modules/mcp-remote/dist/proxy.js',
      at.href,
      ...named.flatMap(([name], index) => ['--header', `${name}:\${HEADER_${index}}`]),
    ],
    env: {
      ...process.env,
      ...Object.fromEntries(named.map(([, value], index) => [`HEADER_${index}`, value])),
    },
    stderr: 'ignore',
  });

/** The client of the first SDK, that of the second in each of its ways to find the revision, and one that speaks stdio. */
const clients = {
  bridge: () => [new Client(info), bridge()],
  sdk: () => [new OldClient(info), new OldTransport(at, options)],
  ...Object.fromEntries(
    ['legacy', 'auto', { pin: '2026-07-28' }].map((mode) => [
      mode.pin ?? mode,
      () => [
        new Client(info, { versionNegotiation: { mode } }),
        new StreamableHTTPClientTransport(at, options),
      ],
    ]),
  ),
};

const [client, transport] = clients[kind]();
await client.connect(transport);
const { tools } = await client.listTools();
const results = [];
/** What the tools have told while they waited. */
const progress = [];
const onprogress = (told) => progress.push(told);
// The first SDK takes a schema of the result before the options.
const rest = kind === 'sdk' ? [undefined, { onprogress }] : [{ onprogress }];
for (const [name, given] of JSON.parse(calls)) {
  results.push(
    await client
      .callTool({ name, arguments: given }, ...rest)
      .catch(({ code }) => ({ refused: code })),
  );
}
await client.close();
process.stdout.write(JSON.stringify({ tools, results, progress }));

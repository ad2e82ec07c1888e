import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { createServer, request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { tracing } from '@opentelemetry/sdk-node';
import { expect, it, onTestFinished } from 'vitest';
import type { Config } from '../../src/config.ts';
import { cloud } from '../profiles/rows.ts';
import { startGateway } from '../support/gateway.ts';
import {
  type Answer,
  type Answering,
  type Call,
  credentials,
  data,
  json,
  paced,
  result,
  type Stack,
  stackInTest,
  useStack,
} from '../support/harness.ts';
import { asJson, createFolder, manifestOf } from '../support/http/operations.ts';
import { withIds } from '../support/world/ids.ts';
import { numbers } from '../support/world/worlds.ts';
import { call, type Headers, type Members, request, send } from './agent.ts';

const organizationId = withIds('organization-1');
const serviceId = withIds('service-1');
const { fileOf } = createFolder();

const start = (options: Parameters<typeof stackInTest>[0]) =>
  stackInTest({ ...options, config: { mcp: 'read', ...options?.config } });

const statuses: Readonly<Record<string, number>> = { refused: 401, gone: 404, busy: 429 };

const stack = useStack({
  observability: ({ path }) => {
    const status = statuses[path.split('/').at(-1) ?? ''];
    const alert = { id: 'a1', name: 'x'.repeat(200) };
    if (status === undefined) return data(path.endsWith('long') ? alert : [alert]);
    const { headers, ...answer } = json({ message: 'no' }, status);
    return { ...answer, headers: { ...headers, 'retry-after': '7' } };
  },
  management: () => result(['We got One', 'Two'].map((name, at) => ({ id: `o${at}`, name }))),
  config: { mcp: 'read', mcpMaxCharacters: 284, maxRetries: 0 },
});
const wrong = 'BAD_USER_INPUT: Wrong arguments for';
const narrowing = 'phaseIn, dashboardIdIn, nameContains, silenced';

/** A tool, its arguments, and the beginning of what the agent is told. */
const tells = (tool: string, given: Members, told: string) => [tool, given, told] as const;
const refused =
  'The credential for observability was refused: no. observability takes the header "Observability-Authorization". It is configured where';
const long = (count: number) =>
  `ANSWER_TOO_LONG: The answer has ${count} characters, and may have 284. Nothing of it is shown:`;
const seen = 'this credential sees [{"id":"o0","name":"We got One"},{"id":"o1","name":"Two"}]';
const phases = 'FIRING, OK, PENDING, NO_DATA, DISABLED, UNKNOWN';

it.each([
  tells('get_alert', { alertId: 'refused' }, `UNAUTHENTICATED: ${refused}`),
  tells('get_alert', { alertId: 'gone' }, 'NOT_FOUND: no.'),
  tells('get_alert', { alertId: 'busy' }, 'RATE_LIMITED: no. Ask again in 7 s.'),
  tells('get_alert', {}, `${wrong} get_alert. It needs alertId.`),
  tells('get_alert', { alertId: null }, `${wrong} get_alert. It needs alertId.`),
  tells(
    'get_alert',
    JSON.parse('{"alertId":"a","__proto__":1}'),
    `${wrong} get_alert. It takes alertId, and nothing else.`,
  ),
  tells('list_alerts', { limit: 5 }, `${wrong} list_alerts. It takes ${narrowing}, and nothing`),
  tells(
    'list_alerts',
    { phaseIn: ['BAD'] },
    `${wrong} list_alerts. phaseIn[0] must be one of ${phases}, got "BAD".`,
  ),
  tells(
    'list_alerts',
    { phaseIn: ['OK', 'pendng'] },
    `${wrong} list_alerts. phaseIn[1] must be one of ${phases}, got "pendng". Did you mean "PENDING"?`,
  ),
  tells(
    'list_alerts',
    { dashboardIdIn: ['d1', null] },
    `${wrong} list_alerts. dashboardIdIn[1] must not be null.`,
  ),
  tells(
    'list_alerts',
    { phaseIn: '["FIRING"]' },
    `${wrong} list_alerts. phaseIn must be a list, and is the text of one.`,
  ),
  tells('list_alerts', {}, `${long(285)} narrow it with ${narrowing}.`),
  tells('get_alert', { alertId: 'as-long' }, `${long(287)} this tool cannot be narrowed; another`),
  tells('list_services', { organizationId: null }, `BAD_USER_INPUT: Give organizationId: ${seen}.`),
])('a tool tells what is wrong %s %j', async (tool, given, told) => {
  const { text, isError } = await call(stack.url, tool, given);
  expect([text.slice(0, told.length), isError]).toEqual([told, true]);
});

it('a tool tells ten wrong values of a list with many', async () => {
  const { text } = await call(stack.url, 'list_alerts', { phaseIn: Array(1000).fill('x') });
  expect(text.match(/phaseIn\[\d+\]/g)).toHaveLength(10);
});

it('a tool tells that a value is wrong that is nested too deeply to be shown', async () => {
  const message = request('tools/call', { name: 'list_alerts', arguments: { phaseIn: ['deep'] } });
  const deep = '['.repeat(100_000) + ']'.repeat(100_000);
  const sent = JSON.stringify(message).replace('"deep"', deep);
  const { body } = await send(stack.url, sent, credentials);
  expect(body.result.content[0].text).toContain(`phaseIn[0] must be one of ${phases}, got a list.`);
});

it.each([
  ['Observability', 'list_alerts', {}],
  ['Management', 'list_services', { organizationId }],
  ['Management', 'list_pipes', {}],
])(
  'a tool tells what is wrong names the header that is missing: %s-Authorization, by %s %j',
  async (name, tool, given) => {
    const headers = { [`${name.toLowerCase()}-authorization`]: '' };
    const { text, isError } = await call(stack.url, tool, given, headers);
    expect(text).toMatch(new RegExp(`^UNAUTHENTICATED: .*"${name}-Authorization: .*configured`));
    expect([isError, stack.calls]).toEqual([true, []]);
  },
);

const writing = (management: Answering, more: Partial<Config> = {}) =>
  start({ management, config: { mcp: 'write', maxRetries: 0, ...more } });
const writesOf = (stack: Stack) => stack.callList().filter((each) => !each.startsWith('GET'));
const pipe = { id: withIds('pipe-1'), name: 'caf\u00e9', state: 'Running' };
const given = { organizationId, serviceId, pipeId: pipe.id };
/** The backend's service has the name of its pipe. */
const naming = (name: string) => ({ ...given, confirmName: name, confirmServiceName: name });
const afterSeconds = (answer: Answer, seconds: number): Answer => {
  return { ...answer, headers: { ...answer.headers, 'retry-after': `${seconds}` } };
};

it.each([
  [json({ error: 'no' }, 409), /^CONFLICT: /],
  [afterSeconds(json({ error: 'no' }, 429), 12), /^RATE_LIMITED: .*12 s\.$/],
  // A part of the answer failed.
  [
    result({ ...pipe, state: ['odd'] }),
    /^UPSTREAM_BAD_RESPONSE: .*\nIt was carried out all the same: \{"stopPipe":\{"pipe":\{"id"/,
  ],
])('a write that is answered with %j is an error', async (answer, told) => {
  const stack = await writing(({ path }) => (path.endsWith('/state') ? answer : result(pipe)));
  const { isError, text } = await call(stack.url, 'stop_pipe', naming(pipe.name.normalize('NFD')));
  expect([isError, text]).toEqual([true, expect.stringMatching(told)]);
});

it('shows alerts also where no organization is found', async () => {
  const stack = await start({ observability: () => data([{ id: 'a1', state: 'ALERT' }]) });
  const headers = { 'management-authorization': '' };
  const { text, isError } = await call(stack.url, 'get_attention', {}, headers);
  const message = expect.stringMatching(/configured/);
  const incomplete = { failed: [{ path: 'organizations', code: 'UNAUTHENTICATED', message }] };
  expect([isError, JSON.parse(text)]).toMatchObject([
    false,
    { incomplete, alerts: [{ id: 'a1' }] },
  ]);
});

it('confirmName is compared with the name of now, not with one that was read before', async () => {
  let name = 'staging';
  const stack = await writing(({ path }) => {
    return result(path.endsWith('/pipes') ? [] : { ...pipe, name });
  }, paced);
  await call(stack.url, 'get_pipe', given);
  name = 'production';
  const wrong = await call(stack.url, 'stop_pipe', naming('staging'));
  expect([wrong.isError, writesOf(stack)]).toEqual([true, []]);
  const { isError, text } = await call(stack.url, 'stop_pipe', naming(name));
  expect([isError, text]).toEqual([false, expect.not.stringContaining('userErrors')]);
  expect(writesOf(stack)).toHaveLength(1);
});

it('a request that is closed before its write sends none', async () => {
  const reading = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  const stack = await writing(async () => {
    reading.resolve();
    await go.promise;
    return result(pipe);
  });
  const leaving = new AbortController();
  const params = { name: 'stop_pipe', arguments: naming(pipe.name) };
  const asked = fetch(new URL('/mcp', stack.url), {
    ...{ method: 'POST', signal: leaving.signal, headers: asJson },
    body: JSON.stringify(request('tools/call', params)),
  });
  await reading.promise;
  leaving.abort();
  await expect(asked).rejects.toThrow();
  await expect.poll(() => stack.log()).toContain('"operationName":"StopPipe"');
  go.resolve();
  expect(writesOf(stack)).toEqual([]);
});

it('shows what could be read, and beside it what could not', async () => {
  const busy = afterSeconds(json({ error: 'busy' }, 429), 7);
  const service = result({ id: serviceId, name: null, state: 'running' });
  const stack = await start({
    management: ({ path }) => (path.endsWith('/pipes') ? busy : service),
    config: { maxRetries: 0 },
  });
  const { text, isError } = await call(stack.url, 'get_service', { organizationId, serviceId });
  const shown = JSON.parse(text);
  expect([isError, shown.service]).toMatchObject([false, { id: serviceId, phase: 'RUNNING' }]);
  expect(shown.service).not.toHaveProperty('name');
  const failed = { path: 'service.pipes', code: 'RATE_LIMITED', message: expect.any(String) };
  expect(shown.incomplete).toEqual({
    wholeInSeconds: 7,
    failed: [{ ...failed, retryAfterSeconds: 7 }],
  });
});

/** A gateway with its rate limit, and a fleet of services with one pipe each, of which it may read some at once. */
const startFleet = (size: number, calls: number) => {
  const services = numbers(size).map((at) => ({ id: withIds(`service-${at}`), name: `s${at}` }));
  return start({
    management: ({ path }) => result(path.endsWith('/services') ? services : [pipe]),
    config: { ...paced, managementRate: { calls, windowMs: 600_000 }, pacingWaitMs: 0 },
  });
};

it('begins with what is missing, names the services of what is there, and counts nothing', async () => {
  const stack = await startFleet(3, 2);
  const { text } = await call(stack.url, 'list_pipes', { organizationId });
  const incomplete = {
    ...{ ready: 2, wanted: 4, wholeInSeconds: expect.any(Number) },
    unreadServices: { RATE_LIMITED: 2 },
  };
  const { id, name } = pipe;
  const item = { id, name, phase: 'RUNNING', service: { id: serviceId, name: 's1' } };
  const organization = { pipes: { items: [item] } };
  expect(JSON.parse(text)).toEqual({ incomplete, organization, now: expect.any(String) });
  expect(Object.keys(JSON.parse(text))[0]).toBe('incomplete');
});

it('is short while it is not whole: it has the first items of each list, and says how many it lacks', async () => {
  const stack = await startFleet(120, 120);
  const { text, isError } = await call(stack.url, 'list_pipes', { organizationId });
  const { incomplete, organization } = JSON.parse(text);
  const { length } = organization.pipes.items;
  expect([isError, text.length < 6000, length > 20]).toEqual([false, true, true]);
  const ready = incomplete.ready - 1 - length;
  expect(incomplete.notShown).toEqual({ 'organization.pipes.items': ready });
});

it('tells what a change did, however long', async () => {
  const name = 'x'.repeat(90);
  const state = 'Degraded';
  const stack = await writing(() => result({ ...pipe, name, state }), { mcpMaxCharacters: 10 });
  const { text, isError } = await call(stack.url, 'stop_pipe', naming(name));
  expect([JSON.parse(text).stopPipe.pipe.phase, isError]).toEqual(['RUNNING', false]);
});

it('changes nothing whose name cannot be read, or that is not there', async () => {
  const odd = result({ ...pipe, name: { odd: true } });
  const stack = await writing(({ path }) => (path.endsWith('1') ? odd : json({}, 404)));
  for (const pipeId of [withIds('pipe-1'), withIds('pipe-2')]) {
    const asked = { ...naming(pipeId), pipeId };
    expect((await call(stack.url, 'stop_pipe', asked)).isError).toBe(true);
  }
  expect(writesOf(stack)).toEqual([]);
});

it('PERSISTED_OPERATIONS=only keeps tools working, and no other text', async () => {
  const persistedOperationsFile = fileOf(JSON.stringify(manifestOf('{ __typename }')));
  const stack = await start({
    observability: () => data([{ id: 'a1' }]),
    config: { persistedOperations: 'only', persistedOperationsFile },
  });
  expect((await call(stack.url, 'list_alerts')).text).toContain('"id":"a1"');
  const { body } = await stack.query('{ alerts { id } }');
  expect(body.errors[0].extensions.code).toBe('PERSISTED_OPERATION_REQUIRED');
});

it('a profile leaves out the tools that it lacks', async () => {
  const toolsOf = async (config: Partial<Config>) => {
    const { url } = await start({ config: { mcp: 'write', ...config } });
    const { tools } = (await send(url, request('tools/list'))).body.result;
    const names: readonly string[] = tools.map(({ name }: { name: string }) => name);
    const asked = ['list_webhooks', 'list_services', 'list_pipes', 'wake_service', 'stop_pipe'];
    const missing = asked.filter((name) => !names.includes(name));
    const [{ inputSchema }] = tools.filter(({ name }: { name: string }) => name === 'get_service');
    return [missing, inputSchema.required];
  };
  expect(await toolsOf({})).toEqual([['list_webhooks', 'wake_service'], ['serviceId']]);
  expect(await toolsOf(cloud)).toEqual([['list_webhooks'], ['serviceId']]);
  // Without the list of organizations, none can be found.
  expect(await toolsOf({ extendedReads: false })).toEqual([
    ['list_webhooks', 'list_services', 'list_pipes', 'wake_service'],
    ['organizationId', 'serviceId'],
  ]);
  const missing = ['list_webhooks', 'wake_service', 'stop_pipe'];
  expect(await toolsOf({ mcp: 'read' })).toEqual([missing, ['serviceId']]);
});

it('thirty callers never get what is another’s', async () => {
  const named = ({ headers }: Call) => ({ id: organizationId, name: headers.authorization });
  const stack = await start({
    observability: async (received) => {
      for (let turns = received.path.length % 7; turns > 0; turns -= 1) await turn();
      return data([named(received)]);
    },
    management: (received) => result([named(received)]),
    config: { ...paced, observabilityRate: undefined, managementRate: undefined },
  });
  const tools = ['list_alerts', 'list_dashboards', 'list_services'] as const;
  const ask = async (at: number): Promise<void> => {
    const [bearer, basic] = [`Bearer t${at % 30}-`, `Basic ${btoa(`k${at % 30}-`)}`];
    const headers = { 'observability-authorization': bearer, 'management-authorization': basic };
    const tool = tools[at % 3] ?? 'list_alerts';
    const { text } = await call(stack.url, tool, {}, headers);
    const owners = new Set(text.match(/(?:Bearer|Basic) [\w-]+=*/g));
    expect([...owners]).toEqual([tool === 'list_services' ? basic : bearer]);
  };
  await Promise.all(Array.from({ length: 60 }, (_, at) => ask(at)));
});

it('no argument of a tool is in the log or in a trace', async () => {
  const exporter = new tracing.InMemorySpanExporter();
  const spanProcessors = [new tracing.SimpleSpanProcessor(exporter)];
  const provider = new tracing.BasicTracerProvider({ spanProcessors });
  const traced = { tracer: provider.getTracer('sluice'), stop: () => provider.forceFlush() };
  const stack = await start({ observability: () => data([]), gateway: { tracing: traced } });
  const canary = { 'observability-authorization': 'Bearer cnry' };
  await call(stack.url, 'list_alerts', { nameContains: 'cnry' }, canary);
  const spans = () => exporter.getFinishedSpans();
  await expect.poll(() => spans().map(({ name }) => name)).toContain('POST /mcp');
  const seen = spans().map(({ name, attributes, events }) => ({ name, attributes, events }));
  expect(stack.log()).toContain('"operationName":"ListAlerts"');
  expect(stack.log() + JSON.stringify(seen)).not.toContain('cnry');
});

const ask = (url: string, socketPath: string | undefined, headers: Headers) =>
  new Promise<number | undefined>((resolve, reject) => {
    const sent = httpRequest(
      new URL('/mcp', url),
      { method: 'POST', socketPath, headers: { 'content-type': 'application/json', ...headers } },
      (answer) => {
        resolve(answer.statusCode);
        answer.resume();
      },
    );
    sent.on('error', reject);
    sent.end(JSON.stringify(request('ping')));
  });

it.each<[where: 'at loopback' | 'elsewhere', headers: Headers, status: number]>([
  ['at loopback', { host: 'evil.example' }, 403],
  ['at loopback', { host: 'evil.localhost' }, 403],
  ['at loopback', { host: 'LOCALHOST.:4000', origin: 'http://localhost:4000' }, 200],
  ['at loopback', { host: 'localhost:4000', origin: 'vscode-webview://localhost:4000' }, 403],
  ['at loopback', { host: 'localhost:4000', origin: 'http://localhost:4000' }, 200],
  ['at loopback', { origin: 'https://app.example' }, 200],
  ['elsewhere', { host: 'sluice.example', origin: 'https://sluice.example' }, 200],
  ['elsewhere', { host: 'sluice.example', origin: 'https://evil.example' }, 403],
])('pages %s with %j get %i', async (where, headers, status) => {
  const settings = { MCP: 'read', CORS_ORIGINS: 'https://app.example' };
  const { url, gateway } = await startGateway(settings);
  // A socket of the file system has no address, as a port for other machines has none of loopback.
  const path = join(mkdtempSync(join(tmpdir(), 'sluice-')), 'http.sock');
  const server = createServer(gateway.handler).listen(path);
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  expect(await ask(url, where === 'elsewhere' ? path : undefined, headers)).toBe(status);
});

it('pages find nothing where MCP is off', async () => {
  const { url } = await startGateway();
  expect(await ask(url, undefined, {})).toBe(404);
});

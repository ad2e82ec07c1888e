import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as pass } from 'node:timers/promises';
import { createCounters, type Refusal } from './counters.ts';
import { createDelays } from './delays.ts';
import { windowKinds } from './windows.ts';
import { createGoodputWorld } from './world.ts';

/**
 * Both REST interfaces with their limits, and with a state that changes. Started by `../processes.ts`
 * with PORT; WINDOWS is `fixed` or `sliding`; JITTER_MS is the most that a call and its answer are under
 * way, each, before and after the 80 ms ± 30 % that a call takes.
 *
 * `GET /control/counts` answers with the `Counts` so far.
 */

const kind = windowKinds.find((each) => each === process.env.WINDOWS);
if (kind === undefined) throw new Error(`WINDOWS must be ${windowKinds.join(' or ')}`);

const { reads, commands } = createGoodputWorld();
const counters = createCounters(kind);
const delays = createDelays(Number(process.env.JITTER_MS ?? 0));

const send = (
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  response.writeHead(status, {
    'content-type': typeof body === 'string' ? 'text/html' : 'application/json',
    'content-length': Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
};

const bodyOf = async (request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> => {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  return text === '' ? {} : JSON.parse(text);
};

/** What the interface has at a path, now; undefined where there is nothing. */
const look = (method: string, path: string, caller: number, command: unknown): unknown => {
  const now = { caller, at: Date.now() };
  return method === 'GET' ? reads.get(path)?.(now) : commands.get(path)?.(now, command);
};

const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const { method = '', url = '', headers } = request;
  if (url === '/control/counts') return send(response, 200, counters.counts());
  const { command } = await bodyOf(request);
  await pass(delays.jitter());
  const call = counters.count(url, headers.authorization ?? '', performance.now());
  if (call === undefined) return send(response, 401, { message: 'no such credential' });
  const delay = delays.call();
  await pass(delay / 2);
  // A refused call changes nothing. What is answered is the state half-way through the call.
  const found = call.refusal ? undefined : look(method, url, call.caller, command);
  await pass(delay / 2 + delays.jitter());
  const refusal: Refusal | undefined = call.refusal;
  if (refusal) return send(response, 429, refusal.body, { ...call.headers, ...refusal.headers });
  if (found === undefined) return send(response, 404, { message: 'no such thing' }, call.headers);
  const body = call.enveloped
    ? { status: 200, requestId: '6f1d8a52-4c0e-4b59-9a6b-2f1f4a8d1c11', result: found }
    : { data: found };
  send(response, 200, body, call.headers);
};

createServer((request, response) => {
  answer(request, response).catch((error: unknown) => {
    // A caller that leaves in the middle of its body is no fault of the backend's.
    if (!request.destroyed || request.complete) process.stderr.write(`${error}\n`);
    response.destroy();
  });
}).listen(Number(process.env.PORT), '127.0.0.1');

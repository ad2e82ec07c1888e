import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as pass } from 'node:timers/promises';
import { readFleetSize } from './fleet-size.ts';
import { callerOf, createLimiter } from './windows.ts';
import { createWorld } from './world.ts';

/**
 * Both REST interfaces, on PORT. With WINDOWS, `fixed` or `sliding`, they enforce their rate limits, a call takes 80 ms ± 30
 * %, and names contain the caller and the time. Without WINDOWS, every caller gets the same answers at once. FLEET is the
 * size of the fourth organization.
 *
 * `GET /control/take?delay=N` answers with the `Counts` since the last such request and resets them; without WINDOWS, later
 * calls take N milliseconds.
 */
export interface Counts {
  readonly calls: number;
  /** Calls that were answered with 429. */
  readonly refused: number;
  /**
   * Rounds of calls that waited for earlier calls: a call begins a new round if it arrives after answers of the round
   * before.
   */
  readonly rounds: number;
}

const kind = process.env.WINDOWS;
const limiter = kind === 'fixed' || kind === 'sliding' ? createLimiter(kind) : undefined;
const { reads, commands, kindOf } = createWorld(readFleetSize(process.env.FLEET));
const asleep = '{"status":424,"error":"FAILED_DEPENDENCY: the service is idle"}';
const slowMilliseconds = 20_000;
const ready = new Map<string, string>();
let counts: Counts = { calls: 0, refused: 0, rounds: 0 };
let answered = 0;
let delay = 0;

const send = (
  response: ServerResponse,
  status: number,
  text: string,
  headers: object = {},
): void => {
  const type = text.startsWith('{') ? 'application/json' : 'text/html';
  const length = Buffer.byteLength(text);
  response.writeHead(status, { 'content-type': type, 'content-length': length, ...headers });
  response.end(text);
};

/** The path of the content: Cloud calls pipes otherwise, and has dashboards and alerts below each service too. */
const contentOf = (url: string): string =>
  url.replace('/clickpipes', '/pipes').replace(/^\/v1\/.*\/clickstack\//, '/api/v2/');

const wrapped = (path: string, found: unknown): string =>
  JSON.stringify(
    path.startsWith('/v1/')
      ? { status: 200, requestId: '6f1d8a52-4c0e-4b59-9a6b-2f1f4a8d1c11', result: found }
      : { data: found },
  );

/** The same for every caller at any time, so made once. */
const constant = (path: string): string | undefined => {
  const found = ready.get(path) ?? wrapped(path, reads.get(path)?.({ caller: 0, at: 0 }));
  ready.set(path, found);
  return found;
};

const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const { method, url = '', headers } = request;
  if (url.startsWith('/control/take')) {
    send(response, 200, JSON.stringify(counts));
    counts = { calls: 0, refused: 0, rounds: 0 };
    answered = 0;
    delay = Number(new URLSearchParams(url.split('?')[1]).get('delay'));
    return;
  }
  const caller = callerOf(url, headers.authorization);
  if (caller === undefined) return send(response, 401, '{"message":"no such credential"}');
  const path = contentOf(url);
  if (!reads.has(path) && !commands.has(path)) return send(response, 404, '{"message":"nothing"}');
  let text = '';
  if (method !== 'GET') for await (const chunk of request.setEncoding('utf8')) text += chunk;

  const round = answered + 1;
  const { calls } = counts;
  counts = { ...counts, calls: calls + 1, rounds: Math.max(counts.rounds, round) };
  if (limiter === undefined) {
    if (delay > 0) await pass(delay);
    answered = Math.max(answered, round);
    return send(response, 200, constant(url) ?? '');
  }
  const { headers: own, refusal } = limiter(url, caller, performance.now());
  if (refusal) counts = { ...counts, refused: counts.refused + 1 };
  // Evenly spread, and the same in every run.
  const half = 40 * (0.7 + 0.6 * ((calls * 0.618034) % 1));
  const service = kindOf(url);
  if (service === 'slow' && method === 'GET' && !refusal) await pass(slowMilliseconds);
  await pass(half);
  // The answer shows the state half-way through the call. A refused call changes nothing.
  const look = { caller, at: Date.now() };
  const found =
    refusal || service === 'sleeping'
      ? undefined
      : (reads.get(path)?.(look) ?? commands.get(path)?.(look, JSON.parse(text).command));
  await pass(half);
  if (refusal) send(response, 429, refusal, own);
  else if (service === 'sleeping') send(response, 424, asleep, own);
  else send(response, 200, wrapped(url, found), own);
};

createServer((request, response) => {
  answer(request, response).catch((error: unknown) => {
    // A caller that leaves in the middle of its body is not an error of the backend.
    if (!request.destroyed || request.complete) process.stderr.write(`${error}\n`);
    response.destroy();
  });
}).listen(Number(process.env.PORT), '127.0.0.1');

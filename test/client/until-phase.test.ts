import '../support/client/built.ts';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createClient } from '../../client/src/index.ts';
import { untilPhase } from '../../client/src/operations.ts';

const of = { organizationId: 'o', serviceId: 's' };
const ids = { ...of, id: 'p' };
const next = (event: object) => `event: next\ndata: ${JSON.stringify(event)}\n\n`;
const phase = (name: string) => next({ data: { pipe: { ...ids, phase: name } } });
const none = (code: string, extensions: object) => {
  const errors = [{ message: 'no', extensions: { code, retryable: code === 'RATE_LIMITED' } }];
  return next({ data: { pipe: null }, errors, extensions });
};
const filling = none('RATE_LIMITED', { progress: { ready: 0, wanted: 1, completeInSeconds: 1 } });
const complete = 'event: complete\ndata:\n\n';
const broken = 'broken';

/** The events of each connection that a gateway takes, until it takes no more. */
type Connections = readonly (readonly string[])[];

const gone = new Error('The user has left');
const leaving = (): AbortSignal => {
  const controller = new AbortController();
  setTimeout(() => controller.abort(gone), 1000);
  return controller.signal;
};

/** Waits for five seconds of a false clock. */
const wait = async (connections: Connections, leave?: typeof leaving) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
  onTestFinished(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });
  const sent: unknown[] = [];
  const signals: (AbortSignal | null | undefined)[] = [];
  const send: typeof fetch = async (_, init) => {
    const events = connections[signals.length];
    sent.push(JSON.parse(String(init?.body)).variables);
    if (!events) throw new TypeError('refused');
    signals.push(init?.signal);
    const body = new ReadableStream({
      start: (controller) => {
        const text = events.filter((each) => each !== broken).join('');
        controller.enqueue(new TextEncoder().encode(text));
        if (events.includes(broken)) controller.close();
      },
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  };
  const client = createClient({ url: '/graphql', fetch: send });
  const options = { timeout: 5000, signal: leave?.() };
  let isOver = false;
  const settled = untilPhase(client, ids, ['FAILED', 'RUNNING'], options)
    .catch((reason: unknown) => reason)
    .finally(() => {
      isOver = true;
    });
  await vi.advanceTimersByTimeAsync(4999);
  if (isOver) expect(vi.getTimerCount()).toBe(0);
  await vi.advanceTimersByTimeAsync(1);
  const result = await settled;
  // Nothing is left: no connection and no timer.
  expect(signals.filter((each) => !each?.aborted)).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
  expect(signals).toHaveLength(connections.length);
  for (const each of sent) expect(each).toEqual({ ...of, pipeId: 'p' });
  return result;
};

it.each<readonly [string, Connections]>([
  ['as soon as it is in one of the phases', [[phase('CHANGING'), phase('RUNNING')]]],
  ['after an answer that is not whole', [[filling, phase('RUNNING')]]],
  ['after the end of a stream', [[phase('CHANGING'), complete], [phase('RUNNING')]]],
  ['after a broken connection', [[phase('CHANGING'), broken], [phase('RUNNING')]]],
])('untilPhase gives the pipe %s', async (_, connections) => {
  expect(await wait(connections)).toEqual({ ...ids, phase: 'RUNNING' });
});

const late = 'After 5000 ms, pipe p is not FAILED or RUNNING: ';
const over = 'The subscription has ended, and pipe p is not FAILED or RUNNING: ';
const ended = { ended: 'nothing to watch' };

it.each<readonly [string, Connections, object]>([
  [
    'the last phase after the timeout',
    [[phase('STOPPED'), phase('CHANGING')]],
    { name: 'TimeoutError', message: `${late}its last phase was CHANGING.` },
  ],
  [
    'why there is no connection',
    [],
    {
      name: 'TimeoutError',
      message: `${late}its phase is not known. No answer came from the gateway.`,
    },
  ],
  [
    'the error of a pipe that is not there',
    [[none('NOT_FOUND', ended), complete]],
    { code: 'NOT_FOUND' },
  ],
  [
    'the last phase after an end for good',
    [[next({ data: { pipe: { phase: 'CHANGING' } }, extensions: ended }), complete]],
    { code: 'NETWORK_ERROR', message: `${over}its last phase was CHANGING.` },
  ],
])('untilPhase rejects with %s', async (_, connections, error) => {
  expect(await wait(connections)).toMatchObject(error);
});

it("untilPhase rejects with a signal's reason while it waits", async () => {
  expect(await wait([[phase('CHANGING')]], leaving)).toBe(gone);
});

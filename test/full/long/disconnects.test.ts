import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import {
  type Answer,
  type Call,
  data,
  result,
  type Stack,
  startStack,
} from '../../support/harness.ts';
import { events, multipart } from '../../support/in-parts.ts';
import { until } from '../../support/process/run-main.ts';
import { createRandom } from '../../support/random/random.ts';
import { runsOf, sampleOf } from '../../support/random/runs.ts';
import { withIds } from '../../support/world/ids.ts';

const organizationId = withIds('organization-1');
const leavers = runsOf(25, 250);

const unhandled: unknown[] = [];
const note = (reason: unknown) => unhandled.push(reason);
beforeAll(() => process.on('unhandledRejection', note));
afterAll(() => process.off('unhandledRejection', note));

let stack: Stack;

const turns = async (count: number): Promise<void> => {
  for (let done = 0; done < count; done += 1) await turn();
};

const tokenOf = ({ headers }: Call): string => {
  const [scheme, token = ''] = String(headers.authorization).split(' ');
  return scheme === 'Basic' ? atob(token) : token;
};

/** The answer to each request; it names the credential of the request. */
const answerOf = (call: Call): Answer => {
  const name = tokenOf(call);
  const { upstream, path } = call;
  if (path.endsWith('/services')) {
    return result([1, 2, 3].map((number) => ({ id: withIds(`service-${number}`), name })));
  }
  if (path.endsWith('/pipes')) return result([]);
  if (upstream === 'management') return result({ id: organizationId, name });
  return /\/(alerts|dashboards)$/.test(path)
    ? data([{ id: 'a1', name }])
    : data({ id: path.split('/').at(-1), name, dashboard: 'd1', tiles: [] });
};

/** Starts the gateway, in which no operation ends by its deadline. */
const start = async (answering: (call: Call) => Promise<Answer>): Promise<void> => {
  const config = { operationTimeoutMs: 600_000 };
  stack = await startStack({ management: answering, observability: answering, config });
  onTestFinished(() => stack.close());
};

const headersOf = (token: string) => ({
  'management-authorization': `Basic ${btoa(token)}`,
  'observability-authorization': `Bearer ${token}`,
});

type Kind = readonly [query: string, accept: string, method?: 'GET'];

/** Sends an operation; → a function that leaves it, and waits until it has ended. */
const send = (token: string, [query, accept, method]: Kind) => {
  const url = new URL(stack.url);
  const headers = {
    ...{ ...headersOf(token), accept },
    ...{ 'content-type': 'application/json', 'x-request-id': token },
  };
  const leaving = new AbortController();
  const { signal } = leaving;
  if (method) url.searchParams.set('query', query);
  const body = JSON.stringify({ query });
  const sent = method ? { headers, signal } : { headers, signal, method: 'POST', body };
  const ended = fetch(url, sent)
    .then((response) => response.text())
    .catch(() => undefined);
  return async () => {
    leaving.abort();
    await ended;
  };
};

const inParts = `{ organization(organizationId: "${organizationId}") { name services { name ... @defer { pipes { name } } } } }`;
const response = 'application/graphql-response+json';
const organization = `organization(organizationId: "${organizationId}") { name }`;
const page = `{ ${organization} alerts { name } dashboard(dashboardId: "d1") { name } }`;
const kinds: readonly [Kind, ...Kind[]] = [
  ['{ alerts { name } }', '*/*'],
  ['{ alerts { name } }', '*/*', 'GET'],
  [page, '*/*'],
  [page, response],
  [inParts, multipart],
  [inParts, events],
  ['{ alert(alertId: "a1") { name dashboard { name tags } } }', '*/*', 'GET'],
  [
    '{ a: alert(alertId: "a1") { name } b: alert(alertId: "a2") { name } dashboards { name } }',
    '*/*',
  ],
  [
    `mutation { updateOrganization(input: {organizationId: "${organizationId}", name: "n"}) { organization { name } } }`,
    response,
  ],
  ['mutation { updateAlert(input: {alertId: "a1", threshold: 2}) { alert { name } } }', '*/*'],
];

/** Has all leave, 25 at a time, beside others of whom each fifth stays. */
const inBatches = async (
  leave: (token: string) => Promise<void>,
  stay: (token: string) => Promise<void>,
  after: () => Promise<void>,
) => {
  for (let from = 0; from < leavers; from += 25) {
    const numbers = Array.from({ length: 25 }, (_, index) => from + index);
    const staying = numbers.filter((number) => number % 5 === 0);
    await Promise.all([
      ...numbers.map((number) => leave(`leaver-${number}`)),
      ...staying.map((number) => stay(`stayer-${number}`)),
    ]);
    await after();
  }
};

it.each(sampleOf([1, 2], 1))(
  'callers who go away at random moments have what was sent finished, and nothing more sent (seed %i)',
  async (seed) => {
    const random = createRandom(seed);
    /** The calls of those who leave, unanswered, each with whether its connection has gone. */
    const held = new Map<Call, { readonly answer: () => void; isClosed: boolean }>();
    let finished = 0;
    await start(async (call) => {
      await turns(random.below(20));
      if (!tokenOf(call).startsWith('leaver')) return answerOf(call);
      const { promise, resolve } = Promise.withResolvers<Answer>();
      const answer = (): void => {
        held.delete(call);
        resolve(answerOf(call));
      };
      held.set(call, { answer, isClosed: false });
      call.onClose(() => Object.assign(held.get(call) ?? {}, { isClosed: true }));
      return promise;
    });
    const leave = async (token: string): Promise<void> => {
      const heldOf = () =>
        [...held].flatMap(([call, each]) => (tokenOf(call) === token ? each : []));
      const leaveIt = send(token, random.pick(kinds));
      if (random.chance(50)) await until(() => stack.calls.some((call) => tokenOf(call) === token));
      await turns(random.below(60));
      // Some get an answer to one of their calls just then, so that the next would be made.
      if (random.chance(30)) heldOf()[0]?.answer();
      await turns(random.below(3));
      await leaveIt();
      const unanswered = heldOf();
      expect(unanswered.filter(({ isClosed }) => isClosed)).toEqual([]);
      for (const { answer } of unanswered) answer();
      finished += unanswered.length;
    };
    const stay = async (token: string): Promise<void> => {
      const { body } = await stack.query(page, { headers: headersOf(token) });
      const name = { name: token };
      expect(body).toEqual({ data: { organization: name, alerts: [name], dashboard: name } });
    };
    await inBatches(leave, stay, async () => {
      // Some calls were on their way when their callers left.
      await turns(200);
      for (const { answer } of held.values()) answer();
    });
    // Half of them waited for a call.
    expect(finished).toBeGreaterThan(leavers / 5);
    await stack.query('{ __typename }');
    // Nothing is sent twice or later for those who have gone.
    const { length } = stack.calls;
    await stay('stayer-0');
    expect(stack.calls).toHaveLength(length + 3);
    const ids = [...stack.log().matchAll(/"requestId":"(leaver-\d+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(unhandled).toEqual([]);
    expect(stack.log()).not.toMatch(
      /unexpected error|"level":"(?:error|fatal)"|"reason":"timeout"/,
    );
  },
);

import { expect, it } from 'vitest';
import type { Config } from '../../src/config.ts';
import { createGate, type Gate } from '../support/faults/gate.ts';
import { status } from '../support/faults/reactions.ts';
import { credentials, data, json, type Stack, stackInTest } from '../support/harness.ts';
import { post } from '../support/http/requests.ts';
import { carryOutWith, present, type Step } from '../support/steps.ts';

let gate: Gate;
let stack: Stack;
/** The requests of rows, in their order. */
let requests: Asked[];
const start = async (config: Partial<Config>) => {
  gate = createGate();
  requests = [];
  stack = await stackInTest({
    management: () => json({}, 500),
    observability: gate.answering,
    config,
  });
};

const as = (token: string) => ({
  ...credentials,
  'observability-authorization': token === 'nobody' ? '' : `Bearer ${token}`,
});
const write = 'mutation { createDashboard(input: { name: "n" }) { dashboard { name } } }';
interface Asked {
  readonly answer: Promise<string>;
  leave(): void;
}

/** Sends a request. What comes of it is the name that it read or wrote, its error, or that it has left. */
const ask = (token: string, document: string): Asked => {
  const controller = new AbortController();
  const answer = post(stack.url, document, as(token), { signal: controller.signal }).then(
    async (response) => {
      const { data: found, errors } = await response.json();
      return errors?.[0].extensions.code ?? /"name":"([^"]+)"/.exec(JSON.stringify(found))?.[1];
    },
    () => 'left',
  );
  return { answer, leave: () => controller.abort() };
};

/** Lets requests that were just sent go as far as they can: others, sent later, have been answered. */
const settled = async (): Promise<void> => {
  for (const _ of [1, 2]) await stack.query('{ __typename }');
};

const failures = {
  503: status(503),
  429: status(429, { 'retry-after': '1' }),
} as const;

/** What a caller does. */
const callerOf = (token: string) => {
  const asks =
    (document: string): Step =>
    () =>
      requests.push(ask(token, document));
  return {
    reads: (alert: string) => asks(`{ alert(alertId: "${alert}") { name } }`),
    readsDashboardOf: (alert: string) =>
      asks(`{ alert(alertId: "${alert}") { name dashboard { name } } }`),
    readsMany: asks(
      '{ alerts { name } dashboards { name } a: alert(alertId: "a") { name } alert(alertId: "a1") { name } }',
    ),
    writes: asks(write),
    updates: asks(
      'mutation { updateAlert(input: { alertId: "a1", threshold: 2 }) { alert { name } } }',
    ),
  };
};
const [A, B, C, nobody] = [callerOf('A'), callerOf('B'), callerOf('C'), callerOf('nobody')];
// Requests and calls have numbers, by their order.
const arrived = (call: number) => () => gate.arrived(call);
const leave = (request: number) => () => present(requests[request - 1]).leave();
const answer = (call: number) => async () => {
  const links = { dashboard: 'd1', interval: '1m' };
  (await gate.arrived(call)).answer(data({ id: 'a1', name: `answer ${call}`, ...links }));
};
const fail = (call: number, how: keyof typeof failures) => async () =>
  (await gate.arrived(call)).answer(failures[how]);
const carryOut = carryOutWith(settled);

/** Carries out the last steps, and compares what each request has, and which calls there were. */
const row = async (expected: string, ...steps: readonly Step[]): Promise<void> => {
  await carryOut(...steps);
  const answers = await Promise.all(requests.map(({ answer }) => answer));
  const calls = gate.calls.map(({ call: { method, path, headers } }) => {
    const token = String(headers.authorization).replace('Bearer ', '');
    return [token, method !== 'GET' && method, path.split('/').at(-1)].filter(Boolean).join(' ');
  });
  expect(`${answers.join(', ')} / ${calls.join(', ')}`).toBe(expected);
};

it('a read under way is shared by requests of the same credential, and not kept once it has arrived', async () => {
  await start({ maxRetries: 0 });
  await carryOut(A.reads('a1'), arrived(1), A.reads('a1'), answer(1));
  await row('answer 1, answer 1, answer 2 / A a1, A a1', A.reads('a1'), arrived(2), answer(2));
});
it('a read under way is shared with nobody else', async () => {
  await start({ maxRetries: 0 });
  await carryOut(A.reads('a1'), arrived(1));
  await row('answer 1, answer 2 / A a1, B a1', B.reads('a1'), arrived(2), answer(1), answer(2));
});
it('a read under way fails for all, and its failure is not kept', async () => {
  await start({ maxRetries: 0 });
  await carryOut(A.reads('a1'), arrived(1), A.reads('a1'), fail(1, 503), A.reads('a1'), arrived(2));
  await row('UPSTREAM_UNAVAILABLE, UPSTREAM_UNAVAILABLE, answer 2 / A a1, A a1', answer(2));
});
it('a read under way is joined neither by a read that starts after a write has begun, nor by one after it, nor by the read of the write', async () => {
  await start({ maxRetries: 0 });
  await carryOut(A.reads('a1'), arrived(1), A.updates, arrived(2), answer(2), arrived(3));
  await carryOut(A.reads('a1'), arrived(4), answer(3), A.reads('a1'), arrived(5), answer(1));
  await row('answer 2, answer 3, answer 5, answer 5 / A a1, A a1, A PUT a1, A a1, A a1', answer(5));
});
it('a read under way is joined all the same after a write without a credential', async () => {
  await start({ maxRetries: 0 });
  await carryOut(A.reads('a1'), arrived(1));
  await row('answer 1, UNAUTHENTICATED, answer 1 / A a1', nobody.updates, A.reads('a1'), answer(1));
});
it('a read under way is joined after a write with another credential', async () => {
  await start({ maxRetries: 0 });
  await carryOut(A.reads('a1'), arrived(1), B.updates, arrived(2), answer(2), arrived(3));
  await carryOut(A.reads('a1'));
  await row('answer 1, answer 3, answer 1 / A a1, B a1, B PUT a1', answer(3), answer(1));
});
it('a read under way is finished for the next caller, where its caller has left', async () => {
  await start({ maxRetries: 0 });
  await row('left, answer 1 / A a1', A.reads('a1'), arrived(1), leave(1), A.reads('a1'), answer(1));
});
it('a read under way goes on for another who waits for it, where its caller has left, who has nothing else sent', async () => {
  await start({ maxRetries: 0 });
  await carryOut(A.readsDashboardOf('a1'));
  await row('left, answer 1 / A a1', arrived(1), A.reads('a1'), leave(1), answer(1));
});

it('of one connection callers get it in turn', async () => {
  await start({ upstreamConnections: 1 });
  await carryOut(C.reads('a1'), arrived(1), A.reads('a2'), A.reads('a3'), A.reads('a4'));
  await carryOut(B.reads('a5'), answer(1), arrived(2), answer(2), arrived(3), answer(3));
  await carryOut(arrived(4), answer(4), arrived(5), answer(5));
  await row('answer 1, answer 2, answer 4, answer 5, answer 3 / C a1, A a2, B a5, A a3, A a4');
});
it('of one connection a write is sent when it is its turn', async () => {
  await start({ upstreamConnections: 1 });
  await carryOut(A.reads('a1'), arrived(1), A.writes);
  await row('answer 1, answer 2 / A a1, A POST dashboards', answer(1), arrived(2), answer(2));
});
it('of one connection a write is not sent once its caller has left', async () => {
  await start({ upstreamConnections: 1 });
  await carryOut(A.reads('a1'), arrived(1), A.writes, leave(2), answer(1));
  await row('answer 1, left, answer 2 / A a1, A a2', A.reads('a2'), arrived(2), answer(2));
});
it('of one connection a read is sent for a caller who has joined it, where its own caller has left', async () => {
  await start({ upstreamConnections: 1 });
  await carryOut(A.reads('a2'), arrived(1), A.reads('a1'), A.reads('a1'));
  await row('answer 1, left, answer 2 / A a2, A a1', leave(2), answer(1), arrived(2), answer(2));
});
it('of one connection a read that waits to be sent again leaves it to another', async () => {
  await start({ upstreamConnections: 1 });
  await carryOut(A.reads('a1'), arrived(1), A.reads('a2'), fail(1, 429));
  await row('answer 3, answer 2 / A a1, A a2, A a1', arrived(2), answer(2), arrived(3), answer(3));
});

it('a read that is sent again is so once for all who ask for it while it is under way', async () => {
  await start({});
  await carryOut(A.reads('a1'), arrived(1));
  await row('answer 2, answer 2 / A a1, A a1', A.reads('a1'), fail(1, 503), arrived(2), answer(2));
});
it('a read that is sent again is so once for all who ask for it while it waits', async () => {
  await start({});
  await carryOut(A.reads('a1'));
  await row('answer 2, answer 2 / A a1, A a1', arrived(1), fail(1, 429), A.reads('a1'), answer(2));
});
it('a read that is sent again is not where nobody waits for it any longer', async () => {
  await start({});
  await carryOut(A.reads('a1'), arrived(1), fail(1, 429), leave(1), A.reads('a2'));
  await row('left, answer 3 / A a1, A a2, A a2', arrived(2), fail(2, 429), answer(3));
});
it('a read that is sent again is where one of two still waits for it', async () => {
  await start({});
  await carryOut(A.reads('a1'), arrived(1));
  await row('left, answer 2 / A a1, A a1', A.reads('a1'), fail(1, 429), leave(1), answer(2));
});

it('of eight connections the calls that wait are not sent once their caller has left', async () => {
  await start({ upstreamConnections: 8 });
  await row('left / A alerts, A dashboards', A.readsMany, arrived(2), leave(1));
});

it('calls of one credential beyond a quarter of the queue are refused at once', async () => {
  await start({ upstreamConnections: 1 });
  const kept = 251;
  const answers: string[] = [];
  const asked = Array.from({ length: kept + 20 }, async (_, index) => {
    answers.push(await ask('A', `{ alert(alertId: "a${index}") { name } }`).answer);
  });
  // Those that find the queue full are answered while all others wait.
  await expect.poll(() => answers.length).toBe(20);
  expect(new Set(answers)).toEqual(new Set(['UPSTREAM_UNAVAILABLE']));
  for (let number = 1; number <= kept; number += 1) {
    (await gate.arrived(number)).answer(data({ id: 'a', name: 'n' }));
  }
  await Promise.all(asked);
  expect(answers.slice(20)).toEqual(Array(kept).fill('n'));
});

it('a write that waits for a connection is not sent once its time is up, and counts as no call', async () => {
  await start({ upstreamConnections: 1, operationTimeoutMs: 700, writeTimeoutMs: 700 });
  const first = ask('B', '{ alerts { name } }');
  await gate.arrived(1);
  const writing = ask('A', write);
  await settled();
  // Joins the first, and waits longer for it than the write does for its connection.
  const last = ask('B', '{ alerts { name } }');
  expect(await writing.answer).toBe('UPSTREAM_TIMEOUT');
  await Promise.all([first.answer, last.answer]);
  await settled();
  expect(stack.calls.map(({ method }) => method)).toEqual(['GET']);
  expect(stack.log()).toMatch(/"operationType":"mutation".*"upstreamCalls":0/);
});

it('nothing waits for an upstream whose breaker is open', async () => {
  await start({ upstreamConnections: 8, breakerFailures: 2, maxRetries: 0 });
  let reads = 0;
  const askOne = (token: string) => {
    reads += 1;
    return ask(token, `{ alert(alertId: "a${reads}") { name } }`).answer;
  };
  // Two that are held for each of these callers, and one of each that waits.
  const held = ['one', 'two'].flatMap((token) => [askOne(token), askOne(token), askOne(token)]);
  await gate.arrived(4);
  await settled();
  expect(gate.calls).toHaveLength(4);
  const failing = [askOne('three'), ask('four', '{ dashboards { name } }').answer];
  await gate.arrived(6);
  for (const { call, answer } of gate.calls) {
    if (/three|four/.test(String(call.headers.authorization))) answer(json({}, 503));
  }
  await Promise.all(failing);
  // Those that wait are told so, and so is who comes now.
  expect(await Promise.race(held)).toBe('UPSTREAM_UNAVAILABLE');
  expect(await askOne('one')).toBe('UPSTREAM_UNAVAILABLE');
  for (const { answer } of gate.calls) answer(data({ id: 'a', name: 'n' }));
  const refused = (await Promise.all(held)).filter((each) => each === 'UPSTREAM_UNAVAILABLE');
  expect(refused).toHaveLength(2);
  expect(gate.calls).toHaveLength(6);
});

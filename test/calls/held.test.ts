import { afterEach, describe, expect, it } from 'vitest';
import type { Config } from '../../src/config.ts';
import { createGate, type Gate } from '../support/faults/gate.ts';
import { status } from '../support/faults/stack.ts';
import { credentials, data, json, type Stack, startStack } from '../support/harness.ts';
import { present, rowsOf } from '../support/rows.ts';

let gate: Gate;
let stack: Stack;
afterEach(() => stack.close());
const start = async (config: Partial<Config>) => {
  gate = createGate();
  stack = await startStack({
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
const documents: Readonly<Record<string, string>> = {
  writes: write,
  updates: 'mutation { updateAlert(input: { alertId: "a1", threshold: 2 }) { alert { name } } }',
  'reads many':
    '{ alerts { name } dashboards { name } a: alert(id: "a") { name } alert(id: "a1") { name } }',
};

interface Asked {
  readonly answer: Promise<string>;
  leave(): void;
}

/** Sends a request. What comes of it is the name that it read or wrote, its error, or that it has left. */
const ask = (token: string, document: string): Asked => {
  const controller = new AbortController();
  const answer = fetch(stack.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...as(token) },
    body: JSON.stringify({ query: document }),
    signal: controller.signal,
  }).then(
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

const failures: Readonly<Record<string, ReturnType<typeof status>>> = {
  503: status(503),
  429: status(429, { 'retry-after': '1' }),
};

/**
 * What rows do. A, B and C are callers, and requests and calls have numbers, by their order. A number in brackets is that of
 * the call that has arrived when the next step comes.
 */
const outcomeOf = async (row: string): Promise<string> => {
  const requests: Asked[] = [];
  for (const step of row.split(', ')) {
    const [, act = '', arrives] = /^(.*?)(?: \[(\d)\])?$/.exec(step) ?? [];
    const [subject = '', verb = '', ...object] = act.split(' ');
    const what = object.join(' ');
    if (verb === 'leaves') present(requests[Number(what) - 1]).leave();
    else if (/^\d: /.test(act))
      (await gate.arrived(Number(subject[0]))).answer(failures[verb] ?? json({}, 500));
    else if (verb === 'answers') {
      const links = { dashboard: 'd1', interval: '1m' };
      (await gate.arrived(Number(subject))).answer(
        data({ id: 'a1', name: `answer ${subject}`, ...links }),
      );
    } else {
      const link = what.endsWith('.dashboard') ? 'dashboard { name }' : '';
      const read = `{ alert(id: "${what.split('.')[0]}") { name ${link} } }`;
      requests.push(ask(subject, documents[`${verb} ${what}`.trim()] ?? read));
    }
    if (arrives) await gate.arrived(Number(arrives));
    else await settled();
  }
  const answers = await Promise.all(requests.map(({ answer }) => answer));
  const calls = gate.calls.map(({ call: { method, path, headers } }) => {
    const token = String(headers.authorization).replace('Bearer ', '');
    return [token, method !== 'GET' && method, path.split('/').at(-1)].filter(Boolean).join(' ');
  });
  return `${answers.join(', ')} / ${calls.join(', ')}`;
};

const underWay = rowsOf(`
  is shared by requests of the same credential, and not kept once it has arrived
    A reads a1 [1], A reads a1, 1 answers, A reads a1 [2], 2 answers -> answer 1, answer 1, answer 2 / A a1, A a1
  is shared with nobody else
    A reads a1 [1], B reads a1 [2], 1 answers, 2 answers -> answer 1, answer 2 / A a1, B a1
  fails for all, and its failure is not kept
    A reads a1 [1], A reads a1, 1: 503, A reads a1 [2], 2 answers
    -> UPSTREAM_UNAVAILABLE, UPSTREAM_UNAVAILABLE, answer 2 / A a1, A a1
  is joined neither by a read that starts after a write has begun, nor by one after it, nor by the read of the write
    A reads a1 [1], A updates [2], 2 answers [3], A reads a1 [4], 3 answers, A reads a1 [5], 1 answers, 5 answers
    -> answer 2, answer 3, answer 5, answer 5 / A a1, A a1, A PUT a1, A a1, A a1
  is joined all the same after a write without a credential
    A reads a1 [1], nobody updates, A reads a1, 1 answers -> answer 1, UNAUTHENTICATED, answer 1 / A a1
  and after a write with another credential
    A reads a1 [1], B updates [2], 2 answers [3], A reads a1, 3 answers, 1 answers
    -> answer 1, answer 3, answer 1 / A a1, B a1, B PUT a1
  is finished for the next caller, where its caller has left
    A reads a1 [1], A leaves 1, A reads a1, 1 answers -> left, answer 1 / A a1
  goes on for another who waits for it, where its caller has left, who has nothing else sent
    A reads a1.dashboard [1], A reads a1, A leaves 1, 1 answers -> left, answer 1 / A a1
`);

const oneConnection = rowsOf(`
  callers get it in turn
    C reads a1 [1], A reads a2, A reads a3, A reads a4, B reads a5, 1 answers [2], 2 answers [3], 3 answers [4], 4 answers
    [5], 5 answers -> answer 1, answer 2, answer 4, answer 5, answer 3 / C a1, A a2, B a5, A a3, A a4
  a write is sent when it is its turn
    A reads a1 [1], A writes, 1 answers [2], 2 answers -> answer 1, answer 2 / A a1, A POST dashboards
  a write is not sent once its caller has left
    A reads a1 [1], A writes, A leaves 2, 1 answers, A reads a2 [2], 2 answers -> answer 1, left, answer 2 / A a1, A a2
  a read is sent for a caller who has joined it, where its own caller has left
    A reads a2 [1], A reads a1, A reads a1, A leaves 2, 1 answers [2], 2 answers -> answer 1, left, answer 2 / A a2, A a1
  a read that waits to be sent again leaves it to another
    A reads a1 [1], A reads a2, 1: 429 [2], 2 answers [3], 3 answers -> answer 3, answer 2 / A a1, A a2, A a1
`);

const sentAgain = rowsOf(`
  is so once for all who ask for it while it is under way
    A reads a1 [1], A reads a1, 1: 503 [2], 2 answers -> answer 2, answer 2 / A a1, A a1
  is so once for all who ask for it while it waits
    A reads a1 [1], 1: 429, A reads a1, 2 answers -> answer 2, answer 2 / A a1, A a1
  is not where nobody waits for it any longer
    A reads a1 [1], 1: 429, A leaves 1, A reads a2 [2], 2: 429, 3 answers -> left, answer 3 / A a1, A a2, A a2
  is where one of two still waits for it
    A reads a1 [1], A reads a1, 1: 429, A leaves 1, 2 answers -> left, answer 2 / A a1, A a1
`);

const eightConnections = rowsOf(`
  the calls that wait are not sent once their caller has left
    A reads many [2], A leaves 1 -> left / A alerts, A dashboards
`);

describe.each([
  ['a read under way', { maxRetries: 0 }, underWay],
  ['a read that is sent again', {}, sentAgain],
  ['of one connection', { upstreamConnections: 1 }, oneConnection],
  ['of eight connections', { upstreamConnections: 8 }, eightConnections],
])('%s', (_, config, rows) => {
  it.each(rows)('%s', async (_title, row, outcome) => {
    await start(config);
    expect(await outcomeOf(row)).toBe(outcome);
  });
});

it('calls of one credential beyond a quarter of the queue are refused at once', async () => {
  await start({ upstreamConnections: 1 });
  const kept = 251;
  const answers: string[] = [];
  const asked = Array.from({ length: kept + 20 }, async (_, index) => {
    answers.push(await ask('A', `{ alert(id: "a${index}") { name } }`).answer);
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
    return ask(token, `{ alert(id: "a${reads}") { name } }`).answer;
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

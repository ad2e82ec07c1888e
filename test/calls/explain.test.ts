import { beforeEach, expect, it } from 'vitest';
import { createCallLog } from '../../src/upstream/fates/explain.ts';
import { type Answering, credentials, stackInTest, useStack } from '../support/harness.ts';
import { readOf } from '../support/upstream/calls.ts';
import { createBackend } from '../support/world/backend.ts';
import { shortCall, withIds } from '../support/world/ids.ts';
import { worldOf } from '../support/world/worlds.ts';

const backend = createBackend(worldOf({ services: 3, dashboards: 1, alerts: 2 }));
/** How many calls each further round has: they are answered once all of them have come. Without it, calls are answered at once. */
let sizes: number[] = [];
let held: (() => void)[] = [];
const answering: Answering = async (call) => {
  const [size = 1] = sizes;
  await new Promise<void>((release) => {
    held.push(release);
    if (held.length < size) return;
    sizes.shift();
    for (const each of held.splice(0)) each();
  });
  return backend[call.upstream](call);
};
const both = { management: answering, observability: answering };
const stack = useStack({ ...both, config: { explain: true } });
beforeEach(() => {
  sizes = [];
  held = [];
});

const ask = (document: string, header = '1') =>
  stack.query(withIds(document), { headers: { 'sluice-explain': header } });
interface Explained {
  readonly method: string;
  readonly path: string;
  readonly round: number;
  readonly shared: boolean;
}
/** Each call with its round, sorted; those that several fields share have a plus. */
const explained = async (document: string) => {
  const { body } = await ask(document);
  const calls: readonly Explained[] = body.extensions.upstream;
  return calls.map((call) => `${call.round} ${shortCall(call)}${call.shared ? ' +' : ''}`).sort();
};

it('Sluice-Explain lists every call with all that is known of it, and neither header nor body', async () => {
  sizes = [2];
  const { body, text } = await ask(
    '{ organization(organizationId: "organization-1") { name } gone: alert(alertId: "nothing") { name } }',
  );
  const call = {
    ...{ method: 'GET', milliseconds: expect.any(Number), round: 1, shared: false },
    ...{ waitedMilliseconds: 0, cache: 'miss', ageSeconds: null },
  };
  const path = withIds('/v1/organizations/organization-1');
  const other = { name: 'observability', operation: 'getAlert', path: '/api/v2/alerts/nothing' };
  expect(body.extensions).toEqual({
    upstream: expect.arrayContaining([
      { ...call, name: 'management', operation: 'getOrganization', path, status: 200 },
      { ...call, ...other, status: 404 },
    ]),
    budget: { management: null, observability: null },
  });
  expect(body.extensions.upstream).toHaveLength(2);
  expect(text).not.toMatch(/authorization|Basic|Bearer/i);
  for (const value of Object.values(credentials)) expect(text).not.toContain(value.split(' ')[1]);
});

/** The calls of each round; those that several fields share have a plus. */
it.each<readonly [title: string, document: string, rounds: readonly string[][]]>([
  [
    'calls that wait for others are of a later round',
    `{ organization(organizationId: "organization-1") { name services { id pipes { name } } }
      again: organization(organizationId: "organization-1") { nodeId name } }`,
    [
      ['organizations/organization-1 +', 'services'],
      [1, 2, 3].map((service) => `services/service-${service}/pipes`),
    ],
  ],
  [
    'a list is shared that several things are found in',
    '{ a: alert(alertId: "alert-1") { name } b: alert(alertId: "alert-2") { name } }',
    [['alerts +']],
  ],
  [
    'a read that started before its field is not shared for that',
    '{ organization(organizationId: "organization-1") { name service(id: "service-1") { name pipes { name } } } }',
    [['organizations/organization-1', 'services/service-1', 'services/service-1/pipes']],
  ],
  [
    'a read that started for two fields is shared',
    '{ a: service(@service-1) { name pipes { name } } b: service(@service-1) { name pipes { id } } }',
    [['services/service-1 +', 'services/service-1/pipes +']],
  ],
  [
    'writes are told of too',
    'mutation { stopPipe(input: {@service-1, pipeId: "pipe-1"}) { pipe { name service { name } } } }',
    [['PATCH services/service-1/pipes/pipe-1/state'], ['services/service-1']],
  ],
  ['nothing is told where no call was made', '{ __typename }', []],
])('Sluice-Explain: %s', async (_, document, rounds) => {
  sizes = rounds.map(({ length }) => length);
  const expected = rounds.flatMap((calls, index) => calls.map((call) => `${index + 1} ${call}`));
  expect(await explained(document)).toEqual(expected);
  expect(stack.calls).toHaveLength(expected.length);
});

it('nothing is explained without the header, with another value, or where it is switched off', async () => {
  expect((await stack.query('{ __typename }')).body.extensions).toBeUndefined();
  expect((await ask('{ __typename }', '0')).body.extensions).toBeUndefined();
  const off = await stackInTest({ ...backend, config: { explain: false } });
  const headers = { 'sluice-explain': '1' };
  expect((await off.query('{ alerts { name } }', { headers })).body.extensions).toBeUndefined();
});

it('a call log tells of reads that are used again, of another request’s, and of an older failure', () => {
  let time = 5;
  const log = createCallLog(() => time);
  const again = readOf();
  log.hear({ kind: 'repeated', call: readOf(), first: again, isTaken: false });
  for (const status of [503, 200]) {
    const sent = { ...again };
    log.hear({ kind: 'sent', call: sent });
    log.hear({ kind: 'ended', call: sent, milliseconds: 0, status });
  }
  time = 9;
  log.hear({ kind: 'joined', call: readOf(), since: 3, answer: { status: 201, sentAt: 4 } });
  log.hear({ kind: 'memory', call: readOf(), state: 'fresh', ageMs: 2500, status: 404 });
  time = 10;
  log.hear({ kind: 'sent', call: readOf() });
  // Nothing waits for an answer from memory.
  expect(log.list().map(({ round }) => round)).toEqual([1, 1, 2, 3, 3]);
  const told = log.list().toSorted((one, other) => Number(one.status) - Number(other.status));
  expect(told).toMatchObject([
    { shared: false, status: null },
    { shared: true, status: 200 },
    { shared: true, status: 201, milliseconds: 6, waitedMilliseconds: 1 },
    { cache: 'fresh', status: 404, ageSeconds: 2 },
    { shared: true, status: 503 },
  ]);
});

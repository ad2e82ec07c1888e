import { describe, expect, it, onTestFinished } from 'vitest';
import { createGate } from '../support/faults/gate.ts';
import { type Answering, json, paced, type StackOptions, startStack } from '../support/harness.ts';
import { askInParts, assembled, events, multipart } from '../support/in-parts.ts';
import { stopTime } from '../support/pacing/time.ts';
import { until } from '../support/process/run-main.ts';
import { createBackend } from '../support/world/backend.ts';
import { shortCall, withIds } from '../support/world/ids.ts';
import { numbers, type Sizes, worldOf } from '../support/world/worlds.ts';

interface Options extends Pick<StackOptions, 'config'> {
  /** Answers calls to management in place of the world. */
  readonly management?: (world: Answering) => Answering;
}

const start = async (sizes: Partial<Sizes>, { config, management }: Options = {}) => {
  const backend = createBackend(worldOf(sizes));
  const stack = await startStack({
    ...backend,
    ...(management && { management: management(backend.management) }),
    ...(config && { config }),
  });
  onTestFinished(() => stack.close());
  return {
    ...stack,
    inParts: (document: string, options?: Parameters<typeof askInParts>[2]) =>
      askInParts(stack, withIds(document), options),
    ask: (document: string) => stack.query(withIds(document)),
    sent: () => stack.calls.map(shortCall),
    world: backend.management,
  };
};
const perSecond = (calls: number) => ({ ...paced, managementRate: { calls, windowMs: 1000 } });

const document = '{ service(@service-1) { name ... @defer { pipes { name } } } }';
const whole = { data: { service: { name: 'Service 1', pipes: [{ name: 'Pipe 1' }] } } };
const first = { data: { service: { name: 'Service 1' } }, hasNext: true };
const later = {
  incremental: [{ data: { pipes: whole.data.service.pipes }, path: ['service'] }],
  hasNext: false,
};

it.each([
  ['', 'application/json'],
  ['*/*', 'application/json'],
  ['application/graphql-response+json, application/json;q=0.9', 'application/'],
  ['multipart/mixed;incrementalSpec=v0.2,application/json', 'application/json'],
  ['multipart/mixed;q=0, application/json', 'application/json'],
  ['text/event-stream;q=0.0, application/json', 'application/json'],
  ['application/json, multipart/mixed; deferSpec=20220824; q=0', 'application/json'],
  ['multipart/mixed;deferSpec=20991231, text/event-stream, application/json', 'application/json'],
  ['multipart/mixed', 'multipart/mixed'],
  ['multipart/mixed; boundary="-"; deferSpec="20220824"', 'multipart/mixed'],
  ['Multipart/Mixed;deferSpec=20220824, application/json;q=0.9', 'multipart/mixed'],
  ['application/json, text/event-stream, multipart/mixed', ''],
  ['text/event-stream', 'text/event-stream'],
  ['multipart/mixed;q=0.1, application/json', 'multipart/mixed'],
])('who accepts %j gets %s', async (accept, type) => {
  const { inParts, calls } = await start({ services: 1 });
  const { ended, head } = inParts(document, { accept });
  expect(await ended).toEqual(type.startsWith('application/') ? [whole] : [first, later]);
  expect(head().headers['content-type']).toContain(type);
  expect(calls).toHaveLength(2);
});

it.each<[string, object, string, label?: string]>([
  ['@defer(if: false)', {}, ''],
  ['@defer(if: $later)', { later: false }, '($later: Boolean!)'],
  ['@defer(if: $later)', {}, '($later: Boolean! = false)'],
  ['@defer @skip(if: true) { pipes { name } } ... ', {}, ''],
  ['@defer(if: $later, label: "pipes")', { later: true }, '($later: Boolean!)', 'pipes'],
  ['@defer(if: $later, label: "pipes")', {}, '($later: Boolean! = true)', 'pipes'],
])(
  'what is not deferred is answered whole, as JSON: %s %j %s',
  async (directive, variables, definitions, label) => {
    const { inParts } = await start({ services: 1 });
    const text = document.replace('@defer', directive).replace('{', `query ${definitions} {`);
    const { ended, head } = inParts(text, { variables: { ...variables } });
    const [one, two] = await ended;
    expect([one, two?.incremental?.[0]?.label]).toEqual([label ? first : whole, label]);
    expect(head().headers['content-type']).toContain(
      label ? 'multipart/mixed' : 'application/json',
    );
  },
);

it('a document that asks for the directives is told of @defer, and of no @stream', async () => {
  const { ask } = await start({});
  const { body } = await ask('{ __schema { directives { name } } }');
  const names = body.data.__schema.directives.map(({ name }: { readonly name: string }) => name);
  expect([names.includes('defer'), names.includes('stream')]).toEqual([true, false]);
});

const deletion = 'deleteDashboard(input: {dashboardId: "d"}) { deletedDashboardId }';
const ofMutation = '@defer is not allowed on fields of Mutation; it is allowed below them.';
it.each<[string, string | undefined, object?]>([
  ['{ alerts @stream { id } }', 'Unknown directive "@stream".'],
  [
    '{ ... @defer(label: "a") { alerts { id } } ... @defer(label: "a") { dashboards { id } } }',
    'Each label of @defer may stand once: "a" stands again.',
  ],
  [
    'query ($label: String) { ... @defer(label: $label) { alerts { id } } }',
    'The label of @defer must be a string in the document, not a variable.',
  ],
  [`mutation { ... @defer { ${deletion} } }`, ofMutation],
  [`mutation { ...F @defer } fragment F on Mutation { ${deletion} }`, ofMutation],
  [
    'query ($later: Boolean!) { ... @defer(if: $later) { alerts { id } } }',
    undefined,
    { later: 'soon' },
  ],
])('is refused, before anything is read: %s', async (text, message, variables = {}) => {
  const { inParts, calls } = await start({});
  const { ended, head } = inParts(text, { variables: { ...variables } });
  const [answer, ...more] = await ended;
  const code = message === undefined ? 'BAD_USER_INPUT' : 'GRAPHQL_VALIDATION_FAILED';
  expect(answer?.errors).toMatchObject([
    { extensions: { code }, ...(message !== undefined && { message }) },
  ]);
  expect(head().headers['content-type']).toContain('application/json');
  expect([more, calls]).toEqual([[], []]);
});

describe('a page of twelve services under the limit of the interface', () => {
  const page = (directive: string) =>
    `{ organization(id: "organization-1") { name services { name ... ${directive} { pipes { name } } } } }`;
  const pipesOf = (number: number) => [
    { name: `Pipe ${2 * number - 1}` },
    { name: `Pipe ${2 * number}` },
  ];
  const services = numbers(12).map((number) => ({
    name: `Service ${number}`,
    pipes: pipesOf(number),
  }));
  const wholePage = { organization: { name: 'Organization 1', services } };
  const calls = [
    'organizations/organization-1',
    'services',
    ...numbers(12).map((number) => `services/service-${number}/pipes`),
  ];

  it.each([
    ['multipart/mixed', multipart],
    ['text/event-stream', events],
  ])('shows these at once, and their pipes as slots come (%s)', async (type, accept) => {
    const clock = stopTime();
    const { inParts, sent } = await start({ services: 12, pipesPerService: 2 }, { config: paced });
    const { parts, ended, head } = inParts(page('@defer'), { accept });
    const arrived = () => parts.flatMap(({ incremental = [] }) => incremental);
    await clock.still(() => arrived().length === 6);
    const names = services.map(({ name }) => ({ name }));
    expect(parts[0]).toEqual({
      data: { organization: { name: 'Organization 1', services: names } },
      hasNext: true,
    });
    expect(head().headers['content-type']).toMatch(new RegExp(`^${type}`));
    // Deferred parts leave two slots of ten to others.
    expect(sent()).toHaveLength(8);

    const startedAt = performance.now();
    const all = await clock.until(ended);
    expect(performance.now() - startedAt).toBeLessThan(20_000);
    expect(arrived().toSorted((one, other) => Number(one.path[2]) - Number(other.path[2]))).toEqual(
      numbers(12).map((number) => ({
        data: { pipes: pipesOf(number) },
        path: ['organization', 'services', number - 1],
      })),
    );
    expect(all.map(({ hasNext }) => hasNext)).toEqual([...all.slice(1).map(() => true), false]);
    expect(assembled(all)).toEqual(wholePage);
    expect(sent().sort()).toEqual(calls.toSorted());
  });
});

const services = (below: string) =>
  `organization(id: "organization-1") { id services { id ${below} } }`;
const pipesOf = (...of: readonly number[]) =>
  of.map((number) => `services/service-${number}/pipes`);

describe('the calls of later parts', () => {
  it('are sent after those of every other read that waits, and no sooner for having come first', async () => {
    const clock = stopTime();
    const { inParts, ask, sent } = await start({ services: 4 }, { config: perSecond(1) });
    const page = inParts(`{ ${services('... @defer { pipes { name } }')} }`);
    await clock.still(() => page.parts.length === 1);
    const other = ask(
      '{ organization(id: "organization-1") { invitations { id } service(id: "service-1") { backupConfiguration { __typename } } } }',
    );
    // It has asked for its reads before time goes on.
    await ask('{ __typename }');
    expect((await clock.until(other)).body.errors).toBeUndefined();
    expect(sent().slice(0, 3)).toEqual([
      'services',
      'invitations',
      'services/service-1/backupConfiguration',
    ]);
    await clock.until(page.ended);
    expect(sent().slice(3)).toEqual(pipesOf(1, 2, 3, 4));
  });

  it('are raised while they wait, where a field that is not deferred comes to need the same', async () => {
    const clock = stopTime();
    const { inParts, ask, sent } = await start({ services: 4 }, { config: perSecond(1) });
    await ask(`{ ${services('name')} }`);
    const page = inParts(`{
      ${services('... @defer { pipes { name } }')}
      organizations { id service(id: "service-4") { pipes { state } } }
    }`);
    await clock.until(page.ended);
    expect(sent()).toEqual(['services', 'organizations', ...pipesOf(4, 1, 2, 3)]);
  });

  it.each([
    ['a relation of each item of a list', `{ ${services('... @defer { pipes { name } }')} }`],
    [
      'a relation that is selected beside it, too',
      `{ ${services('pipes { name } ... @defer { pipes { state } backupConfiguration { __typename } }')} }`,
    ],
    [
      'one thing beside another of its kind',
      '{ service(@service-1) { name } ... @defer { other: service(@service-2) { name } } }',
    ],
    [
      'relations that start with their parent',
      '{ service(@service-1) { name ... @defer { organization { name services { name } } pipes { name } } } }',
    ],
    [
      'a fragment that is spread with and without it',
      `{ ${services('...F ...F @defer')} } fragment F on Service { pipes { name } }`,
    ],
    [
      'parts within parts',
      `{ ${services('... @defer { pipes { name ... @defer { service { backupConfiguration { __typename } organization { name } } } } }')} }`,
    ],
    [
      'of a mutation',
      'mutation { stopPipe(input: {@service-1, pipeId: "pipe-1"}) { pipe { name ... @defer { service { pipes { state } } } } } }',
    ],
  ])('are the same as without @defer: %s', async (_, document) => {
    const clock = stopTime();
    const { inParts, ask, sent } = await start({ services: 4 }, { config: perSecond(100) });
    await clock.until(ask(document.replaceAll('@defer', '@include(if: true)')));
    const without = sent();
    clock.advance(120_000);
    await clock.until(inParts(document).ended);
    expect(without.length).toBeGreaterThan(0);
    expect(sent().slice(without.length).sort()).toEqual(without.sort());
  });
});

describe('a mutation', () => {
  const stop = (pipe: number, below: string) =>
    `p${pipe}: stopPipe(input: {@service-1, pipeId: "pipe-${pipe}"}) { pipe { name ${below} } userErrors { code } }`;
  const sizes = { services: 1, pipesPerService: 2 };
  const stopped = { p1: { pipe: { name: 'Pipe 1' }, userErrors: [] } };

  it('has answered before what is deferred below its payload is read', async () => {
    const gate = createGate();
    const { inParts, world } = await start(sizes, {
      management: (world) => (call) => (call.method === 'GET' ? gate.answering(call) : world(call)),
    });
    const { parts, ended } = inParts(`mutation { ${stop(1, '... @defer { service { name } }')} }`);
    await until(() => parts.length === 1);
    expect(parts).toEqual([{ data: stopped, hasNext: true }]);
    const read = await gate.arrived(1);
    read.answer(await world(read.call));
    const incremental = [{ data: { service: { name: 'Service 1' } }, path: ['p1', 'pipe'] }];
    expect((await ended).slice(1)).toEqual([{ incremental, hasNext: false }]);
  });

  it('leaves what is deferred below its payload as much time as a later mutation of the operation', async () => {
    const clock = stopTime();
    const gate = createGate();
    const { inParts, world } = await start(sizes, {
      config: { operationTimeoutMs: 2000, deferTimeoutMs: 1000, writeTimeoutMs: 60_000 },
      management: (world) => (call) =>
        call.method === 'GET' || shortCall(call).endsWith('pipe-2/state')
          ? gate.answering(call)
          : world(call),
    });
    const { parts, ended } = inParts(
      `mutation { ${stop(1, '... @defer { service { pipes { name } } }')} ${stop(2, '')} }`,
    );
    await clock.still(() => gate.calls.length === 2);
    clock.advance(10_000);
    for (const method of ['PATCH', 'GET']) {
      const waiting = gate.calls.find(({ call }) => call.method === method);
      waiting?.answer(await world(waiting.call));
      if (method === 'PATCH') await clock.still(() => parts.length === 1);
    }
    const pipes = [{ name: 'Pipe 1' }, { name: 'Pipe 2' }];
    const incremental = [{ data: { service: { pipes } }, path: ['p1', 'pipe'] }];
    expect((await ended).slice(1)).toEqual([{ incremental, hasNext: false }]);
  });

  it('that is refused says so in its first part, and has no other', async () => {
    const refused = json({ status: 409, error: 'CONFLICT: no' }, 409);
    const { inParts, calls } = await start(sizes, { management: () => () => refused });
    const { ended, head } = inParts(`mutation { ${stop(1, '... @defer { service { name } }')} }`);
    expect(await ended).toEqual([
      { data: { p1: { pipe: null, userErrors: [{ code: 'CONFLICT' }] } } },
    ]);
    expect(head().headers['content-type']).toContain('application/json');
    expect(calls).toHaveLength(1);
  });
});

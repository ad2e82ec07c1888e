import { expect, it } from 'vitest';
import { paced } from '../support/harness.ts';
import { assembled, events, multipart, startInParts } from '../support/in-parts.ts';
import { stopTime } from '../support/pacing/time.ts';
import { numbers } from '../support/world/worlds.ts';

const document = '{ service(@service-1) { name ... @defer { pipes { name } } } }';
const whole = { data: { service: { name: 'Service 1', pipes: [{ name: 'Pipe 1' }] } } };
const first = { data: { service: { name: 'Service 1' } }, hasNext: true };
const incremental = [{ data: { pipes: whole.data.service.pipes }, path: ['service'] }];

it.each([
  ['', 'application/json'],
  ['*/*', 'application/json'],
  ['multipart/mixed;incrementalSpec=v0.3,application/json', 'application/json'],
  ['multipart/mixed;q=0, application/json', 'application/json'],
  ['application/json, multipart/mixed; deferSpec=20220824; q=0', 'application/json'],
  ['multipart/mixed;deferSpec=20991231, text/event-stream, application/json', 'application/json'],
  ['multipart/mixed', 'multipart/mixed'],
  ['Multipart/Mixed;deferSpec=20220824, application/json;q=0.9', 'multipart/mixed'],
  ['application/json, text/event-stream, multipart/mixed', ''],
  ['text/event-stream', 'text/event-stream'],
])('who accepts %j gets %s', async (accept, type) => {
  const { inParts, calls } = await startInParts({ services: 1 });
  const { ended, head } = inParts(document, { accept });
  const parts = [first, { incremental, hasNext: false }];
  expect(await ended).toEqual(type.startsWith('application/') ? [whole] : parts);
  expect(head().headers['content-type']).toContain(type);
  expect(calls).toHaveLength(2);
});

it.each([
  ['multipart/mixed;incrementalSpec=v0.2,application/json', 'multipart/mixed'],
  ['multipart/mixed;incrementalSpec=v0.3, multipart/mixed;incrementalSpec=v0.2', 'multipart/mixed'],
  ['multipart/mixed;deferSpec=20220824;q=0.5, multipart/mixed;incrementalSpec=v0.2', ''],
  ['text/event-stream;incrementalSpec=v0.2', 'text/event-stream'],
  ['multipart/mixed;incrementalSpec=v0.2;q=0.1, text/event-stream', ''],
])('who accepts %j gets what is pending, and what is completed, in %s', async (accept, type) => {
  const { inParts } = await startInParts({ services: 1 });
  const { ended, head } = inParts(document, { accept });
  expect(await ended).toEqual([
    { ...first, pending: [{ id: '0', path: ['service'] }] },
    {
      incremental: [{ id: '0', data: { pipes: whole.data.service.pipes } }],
      completed: [{ id: '0' }],
      hasNext: false,
    },
  ]);
  expect(head().headers['content-type']).toContain(type);
});

it.each<[string, object, string, label?: string]>([
  ['@defer(if: false)', {}, ''],
  ['@defer(if: $later)', { later: false }, '($later: Boolean!)'],
  ['@defer(if: $later)', {}, '($later: Boolean! = false)'],
  ['@defer @skip(if: true) { pipes { name } } ... ', {}, ''],
  ['@defer(if: $later, label: "pipes")', { later: true }, '($later: Boolean!)', 'pipes'],
  ['@include(if: true) @defer(label: "pipes")', {}, '', 'pipes'],
  ['@defer(if: $later, label: "pipes")', {}, '($later: Boolean! = true)', 'pipes'],
])('%s with %j %s is a part with label %s', async (directive, variables, definitions, label) => {
  const { inParts } = await startInParts({ services: 1 });
  const text = document.replace('@defer', directive).replace('{', `query ${definitions} {`);
  const [one, two] = await inParts(text, { variables: { ...variables } }).ended;
  expect([one, two?.incremental?.[0]?.label]).toEqual([label ? first : whole, label]);
});

it('a document that asks for the directives is told of @defer, and of no @stream', async () => {
  const { ask } = await startInParts({});
  const { body } = await ask('{ __schema { directives { name } } }');
  const names = body.data.__schema.directives.map(({ name }: { readonly name: string }) => name);
  expect([names.includes('defer'), names.includes('stream')]).toEqual([true, false]);
});

const deletion = 'deleteDashboard(input: {dashboardId: "d"}) { deletedDashboardId }';
const ofMutation = '@defer is not allowed on fields of Mutation; it is allowed below them.';
it.each([
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
  ['query ($later: Boolean!) { ... @defer(if: $later) { alerts { id } } }', undefined],
])('is refused, before anything is read: %s', async (text, message) => {
  const { inParts, calls } = await startInParts({});
  const { ended, head } = inParts(text, { variables: { later: 'soon' } });
  const [answer, ...more] = await ended;
  const code = message === undefined ? 'BAD_USER_INPUT' : 'GRAPHQL_VALIDATION_FAILED';
  expect(answer?.errors).toMatchObject([{ extensions: { code }, ...(message && { message }) }]);
  expect(head().headers['content-type']).toContain('application/json');
  expect([more, calls]).toEqual([[], []]);
});

const services = (below: string) =>
  `organization(organizationId: "organization-1") { name services { name ${below} } }`;

it.each([multipart, events])(
  'a page of twelve services under the limit of the interface shows these at once, and their pipes in the order of their slots (%s)',
  async (accept) => {
    const clock = stopTime();
    const { inParts, sent } = await startInParts({ services: 12 }, { config: paced });
    const { parts, ended } = inParts(`{ ${services('... @defer { pipes { name } }')} }`, {
      accept,
    });
    const arrived = () => parts.flatMap(({ incremental = [] }) => incremental);
    await clock.still(() => arrived().length === 6);
    const named = numbers(12).map((number) => ({ name: `Service ${number}` }));
    const organization = { name: 'Organization 1', services: named };
    expect(parts[0]).toEqual({ data: { organization }, hasNext: true });
    // Deferred parts leave two slots of ten to others.
    expect(sent()).toHaveLength(8);

    const startedAt = performance.now();
    const all = await clock.until(ended);
    expect(performance.now() - startedAt).toBeLessThan(20_000);
    expect(arrived()).toEqual(
      numbers(12).map((number) => ({
        data: { pipes: [{ name: `Pipe ${number}` }] },
        path: ['organization', 'services', number - 1],
      })),
    );
    expect(all.map(({ hasNext }) => hasNext)).toEqual([...all.slice(1).map(() => true), false]);
    const withPipes = named.map((each, index) => ({
      ...each,
      pipes: [{ name: `Pipe ${index + 1}` }],
    }));
    expect(assembled(all)).toEqual({ organization: { ...organization, services: withPipes } });
    expect(sent()).toHaveLength(14);
  },
);

it.each([
  [
    'a relation that is selected beside it, too',
    `{ ${services('pipes { name } ... @defer { pipes { state } backupConfiguration { __typename } }')} }`,
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
])('the calls of later parts are the same as without @defer: %s', async (_, document) => {
  const clock = stopTime();
  const config = { ...paced, managementRate: { calls: 100, windowMs: 1000 } };
  const { inParts, ask, sent } = await startInParts({ services: 4 }, { config });
  await clock.until(ask(document.replaceAll('@defer', '@include(if: true)')));
  const without = sent();
  clock.advance(120_000);
  await clock.until(inParts(document).ended);
  expect(without.length).toBeGreaterThan(0);
  expect(sent().slice(without.length).sort()).toEqual(without.sort());
});

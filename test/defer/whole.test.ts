import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Stack, startStack } from '../support/harness.ts';
import { askInParts } from '../support/in-parts.ts';
import { createBackend } from '../support/world/backend.ts';
import { withIds } from '../support/world/ids.ts';
import { worldOf } from '../support/world/worlds.ts';

let stack: Stack;
beforeEach(async () => {
  stack = await startStack(
    createBackend(
      worldOf({
        organizations: 1,
        services: 1,
        pipesPerService: 1,
        dashboards: 0,
        tilesPerDashboard: 0,
        alerts: 0,
      }),
    ),
  );
});
afterEach(() => stack.close());

const service = 'service(organizationId: "organization-1", serviceId: "service-1")';
const document = withIds(`{ ${service} { name ... @defer { pipes { name } } } }`);
const whole = { data: { service: { name: 'Service 1', pipes: [{ name: 'Pipe 1' }] } } };
const first = { data: { service: { name: 'Service 1' } }, hasNext: true };

describe('who takes no parts gets one whole answer: accept', () => {
  it.each([
    ['', 'application/json'],
    ['*/*', 'application/json'],
    ['application/json', 'application/json'],
    ['application/graphql-response+json, application/json;q=0.9', 'application/'],
    ['multipart/mixed;incrementalSpec=v0.2,application/json', 'application/json'],
    ['multipart/mixed;q=0, application/json', 'application/json'],
    ['text/event-stream;q=0.0, application/json', 'application/json'],
    ['application/json, text/event-stream, multipart/mixed;q=0', 'application/json'],
    ['application/json, multipart/mixed; deferSpec=20220824; q=0', 'application/json'],
    ['multipart/mixed;deferSpec=20991231, text/event-stream, application/json', 'application/json'],
  ])('%j', async (accept, type) => {
    const { ended, head } = askInParts(stack, document, { accept });
    expect(await ended).toEqual([whole]);
    expect(head().headers['content-type']).toContain(type);
    expect(stack.calls).toHaveLength(2);
  });
});

it.each([
  'multipart/mixed',
  'multipart/mixed; boundary="-"; deferSpec="20220824"',
  'Multipart/Mixed;deferSpec=20220824, application/graphql-response+json, application/json;q=0.9',
  'application/graphql-response+json, application/graphql+json, application/json, text/event-stream, multipart/mixed',
  'text/event-stream',
  'multipart/mixed;q=0.1, application/json',
])('accept %j gets parts', async (accept) => {
  const [one, ...more] = await askInParts(stack, document, { accept }).ended;
  expect(one).toEqual(first);
  expect(more).toEqual([
    {
      incremental: [{ data: { pipes: whole.data.service.pipes }, path: ['service'] }],
      hasNext: false,
    },
  ]);
});

describe('an operation that defers nothing is answered whole, as JSON, also to a client that accepts parts:', () => {
  it.each<readonly [string, Readonly<Record<string, unknown>>, string]>([
    ['@defer(if: false)', {}, ''],
    ['@defer(if: $later)', { later: false }, '($later: Boolean!)'],
    ['@defer(if: $later)', {}, '($later: Boolean! = false)'],
    ['@defer @skip(if: true) { pipes { name } } ... ', {}, ''],
  ])('%s %j', async (directive, variables, definitions) => {
    const text = document.replace('@defer', directive).replace('{', `query ${definitions} {`);
    const { ended, head } = askInParts(stack, text, { variables });
    expect(await ended).toEqual([whole]);
    expect(head().headers['content-type']).toContain('application/json');
  });
});

it('@defer(if:) with a variable that is true, or has no value, defers', async () => {
  for (const variables of [{ later: true }, {}]) {
    const text = document
      .replace('@defer', '@defer(if: $later, label: "pipes")')
      .replace('{', 'query ($later: Boolean! = true) {');
    const [one, two] = await askInParts(stack, text, { variables }).ended;
    expect(one).toEqual(first);
    expect(two?.incremental?.[0]?.label).toBe('pipes');
  }
});

it('a document that asks for the directives is told of @defer, and of no @stream', async () => {
  const { body } = await stack.query('{ __schema { directives { name } } }');
  const names = body.data.__schema.directives.map(({ name }: { readonly name: string }) => name);
  expect(names).toContain('defer');
  expect(names).not.toContain('stream');
});

describe('is refused, before anything is read:', () => {
  it.each([
    ['{ alerts @stream { id } }', 'Unknown directive "@stream".'],
    [
      '{ ... @defer(label: "a") { alerts { id } } ... @defer(label: "a") { dashboards { id } } }',
      'Each label of @defer may stand once: "a" stands again.',
    ],
    [
      'query ($label: String) { ... @defer(label: $label) { alerts { id } } }',
      'The label of @defer must be a string in the document, and no variable.',
    ],
    [
      'mutation { ... @defer { deleteDashboard(input: {dashboardId: "d"}) { deletedDashboardId } } }',
      '@defer cannot stand on fields of Mutation; it can below them.',
    ],
    [
      'mutation { ...F @defer } fragment F on Mutation { deleteDashboard(input: {dashboardId: "d"}) { deletedDashboardId } }',
      '@defer cannot stand on fields of Mutation; it can below them.',
    ],
  ])('%s', async (text, message) => {
    const { ended, head } = askInParts(stack, text);
    const [answer] = await ended;
    expect(answer?.errors).toMatchObject([
      { message, extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } },
    ]);
    expect(head().headers['content-type']).toContain('application/json');
    expect(stack.calls).toEqual([]);
  });

  it('a value that a variable cannot have', async () => {
    const text = document
      .replace('@defer', '@defer(if: $later)')
      .replace('{', 'query ($later: Boolean!) {');
    const [answer, ...more] = await askInParts(stack, text, { variables: { later: 'soon' } }).ended;
    expect(answer?.errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
    expect([more, stack.calls]).toEqual([[], []]);
  });
});

import { readFileSync } from 'node:fs';
import {
  getNamedType,
  getOperationAST,
  isLeafType,
  isObjectType,
  Kind,
  OperationTypeNode,
  parse,
  TypeInfo,
  validate,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSchema } from '../../src/gateway/schema.ts';
import { startSandboxStack } from '../support/harness.ts';
import {
  declaredBy,
  documents,
  files,
  isSubscription,
  samples,
  textOf,
  variablesOf,
} from '../support/operations.ts';
import { holds, holdsLive } from '../support/operations-hold.ts';
import { subscribe } from '../support/subscribe.ts';

const schema = createSchema();
const names = Object.keys(documents);

const capitalized = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

const nameFor = (operation: OperationTypeNode, field: string): string =>
  (operation === OperationTypeNode.SUBSCRIPTION ? 'Live' : '') + capitalized(field);

const expectedNames = Object.values(OperationTypeNode).flatMap((operation) =>
  Object.keys(schema.getRootType(operation)?.getFields() ?? {}).map((field) =>
    nameFor(operation, field),
  ),
);

/** The operations in the files whose path begins in this way. */
const namesIn = (start: string): readonly string[] =>
  [...files]
    .filter(([path]) => path.startsWith(start))
    .flatMap(([, { definitions }]) =>
      definitions.flatMap((each) =>
        each.kind === Kind.OPERATION_DEFINITION ? [each.name?.value ?? ''] : [],
      ),
    );

describe('operations/', () => {
  const screens = namesIn('screens/');

  it('has an operation for each root field, named after it, and those of screens', () => {
    const whole = names.filter((name) => !screens.includes(name));
    expect(whole.sort()).toEqual(expectedNames.sort());
    for (const name of whole) {
      const { operation, selectionSet } = getOperationAST(parse(textOf(name))) ?? {};
      const [field, ...others] = selectionSet?.selections ?? [];
      expect(others).toEqual([]);
      expect(field).toMatchObject({ kind: Kind.FIELD, alias: undefined });
      const root = field?.kind === Kind.FIELD ? field.name.value : '';
      expect(nameFor(operation ?? OperationTypeNode.QUERY, root)).toBe(name);
    }
  });

  it('has screens that need no other file', () => {
    expect(screens.length).toBeGreaterThan(3);
    for (const [path, document] of files) {
      if (path.startsWith('screens/'))
        expect([path, validate(schema, document)]).toEqual([path, []]);
    }
  });

  it('selects every value there is, but for a secret and what is deprecated', () => {
    const selected = new Set<string>();
    for (const document of Object.values(documents)) {
      const info = new TypeInfo(schema);
      visit(
        document,
        visitWithTypeInfo(info, {
          Field: ({ name }) => {
            selected.add(`${info.getParentType()?.name}.${name.value}`);
          },
        }),
      );
    }
    const values = Object.values(schema.getTypeMap())
      .filter((type) => isObjectType(type))
      .filter(({ name }) => !name.startsWith('__'))
      .flatMap((type) =>
        Object.values(type.getFields())
          .filter((field) => isLeafType(getNamedType(field.type)))
          .map((field) => `${type.name}.${field.name}`),
      );
    expect(values.filter((value) => !selected.has(value)).sort()).toEqual([
      'ObjectStorageSource.connectionString',
      'Service.maxTotalMemoryGb',
      'Service.minTotalMemoryGb',
    ]);
  });

  it('has samples of exactly the variables that are declared', () => {
    for (const [name, values] of Object.entries(samples)) {
      expect([name, Object.keys(values)]).toEqual([name, declaredBy(name)]);
    }
    for (const name of names) {
      expect(Object.keys(variablesOf(name)), name).toEqual(declaredBy(name));
      expect(Object.values(variablesOf(name)), name).not.toContain(undefined);
    }
  });
});

describe('each operation of operations/', () => {
  const readme = readFileSync(new URL('../../client/README.md', import.meta.url), 'utf8');
  const calls = new Map(
    [...readme.matchAll(/^\| `(\w+)Document` \|[^|]*\| (\d+)/gm)].map(([, name = '', number]) => [
      name,
      Number(number),
    ]),
  );

  let time = Date.parse('2026-11-21T10:00:00Z');
  const clock = () => new Date(time);
  let stack: Awaited<ReturnType<typeof startSandboxStack>>;
  let live: typeof stack;
  beforeAll(async () => {
    stack = await startSandboxStack({ sandbox: { clock } });
    live = await startSandboxStack({
      sandbox: { clock, profile: 'live' },
      config: { managementProfile: 'clickhouse-cloud', observabilityProfile: 'hyperdx' },
    });
  });
  afterAll(async () => {
    await stack.close();
    await live.close();
  });

  /** The answer to an operation, or its first event. */
  const answerOf = async (name: string) => {
    const sent = {
      variables: variablesOf(name),
      // What an earlier operation has read must not be answered from memory.
      headers: { 'cache-control': 'no-cache' },
    };
    if (!isSubscription(name)) return (await stack.query(textOf(name), sent)).body;
    const { management, observability } = stack.sandbox.credentials;
    const headers = {
      ...sent.headers,
      'management-authorization': management.admin.header,
      'observability-authorization': observability.main.header,
    };
    const stream = await subscribe(stack.url, textOf(name), { ...sent, headers });
    const event = await stream.event(1);
    stream.leave();
    await stream.ended;
    return event;
  };

  it('has its turn below, and a row in the README of the client', () => {
    expect(Object.keys({ ...holds, ...holdsLive }).sort()).toEqual([...names].sort());
    expect([...calls.keys()].sort()).toEqual([...names].sort());
  });

  it.each(Object.entries(holds))('%s succeeds, for as many calls as told', async (name, data) => {
    stack.calls.length = 0;
    const body = await answerOf(name);
    expect(body.errors).toBeUndefined();
    expect(body.data).toMatchObject(data);
    expect(stack.callList()).toHaveLength(calls.get(name) ?? -1);
    // Long enough for a pipe to have stopped.
    time += 60_000;
  });

  it.each(Object.entries(holdsLive))(
    '%s succeeds on the live services, for as many calls as told, and is unavailable elsewhere',
    async (name, data) => {
      const sent = { variables: variablesOf(name) };
      live.calls.length = 0;
      const { body } = await live.query(textOf(name), sent);
      expect(body.errors).toBeUndefined();
      expect(body.data).toMatchObject(data);
      expect(live.callList()).toHaveLength(calls.get(name) ?? -1);
      time += 60_000;
      stack.calls.length = 0;
      const elsewhere = await stack.query(textOf(name), sent);
      expect(elsewhere.body.errors).toMatchObject([
        { extensions: { code: 'OPERATION_UNAVAILABLE' } },
      ]);
      expect(stack.calls).toEqual([]);
    },
  );

  it('leaves no complaint in the log', () => {
    const complaints = (stack.complaints() + live.complaints())
      .split('\n')
      .filter((line) => !line.includes('"msg":"subscription"'));
    expect(complaints).toEqual(['']);
  });
});

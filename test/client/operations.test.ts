import '../support/client/built.ts';
import { readFileSync } from 'node:fs';
import {
  getNamedType,
  isLeafType,
  isObjectType,
  type OperationDefinitionNode,
  parse,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, createClient } from '../../client/src/index.ts';
import * as operations from '../../client/src/operations.ts';
import { createSchema } from '../../src/schema/build.ts';
import { type Found, rows } from '../support/client/rows.ts';
import { startSandboxStack } from '../support/harness.ts';

const schema = createSchema();

const rootFields = [schema.getQueryType(), schema.getMutationType()].flatMap((type) =>
  Object.keys(type?.getFields() ?? {}),
);

const capitalized = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

const documents = Object.entries(operations).map(
  ([name, text]) => [name, parse(String(text))] as const,
);

describe("the client's operations", () => {
  it('are one for each field of Query and Mutation, named after it', () => {
    expect(documents.map(([name]) => name).sort()).toEqual(
      rootFields.map((field) => `${capitalized(field)}Document`).sort(),
    );
    for (const [name, { definitions }] of documents) {
      const [operation, ...others] = definitions.filter(
        (definition): definition is OperationDefinitionNode =>
          definition.kind === 'OperationDefinition',
      );
      expect(others).toEqual([]);
      expect(`${operation?.name?.value}Document`).toBe(name);
      const fields = operation?.selectionSet.selections.map((selection) =>
        selection.kind === 'Field' ? `${capitalized(selection.name.value)}Document` : selection,
      );
      expect(fields).toEqual([name]);
    }
  });

  it('select every value there is, but for a secret and what is deprecated', () => {
    const selected = new Set<string>();
    for (const [, document] of documents) {
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
});

describe('against the demo', () => {
  const found: Found = {};
  let time = Date.parse('2026-11-21T10:00:00Z');
  let stack: Awaited<ReturnType<typeof startSandboxStack>>;
  let client: Client;
  beforeAll(async () => {
    stack = await startSandboxStack({ sandbox: { clock: () => new Date(time) } });
    const { management, observability } = stack.sandbox.credentials;
    client = createClient({
      url: stack.url,
      management: management.admin.header,
      observability: observability.main.header,
    });
  });
  afterAll(() => stack.close());

  const readme = readFileSync(new URL('../../client/README.md', import.meta.url), 'utf8');
  const calls = Object.fromEntries(
    [...readme.matchAll(/^\| `(\w+)Document` \|[^|]*\| (\d+)/gm)].map(([, name = '', number]) => [
      name,
      Number(number),
    ]),
  );

  it('every field of Query and Mutation has its turn', () => {
    expect(Object.keys(rows).sort()).toEqual([...rootFields].sort());
  });

  it.each(Object.entries(rows))(
    '%s works, for as many calls as the README says',
    async (name, row) => {
      stack.calls.length = 0;
      expect(await row.send(client, found)).toMatchObject(row.holds as object);
      expect(stack.callList()).toHaveLength(calls[capitalized(name)] ?? -1);
      // Long enough for a pipe to have stopped.
      time += 60_000;
    },
  );

  it('nothing was complained of', () => {
    expect(stack.complaints()).toBe('');
  });
});

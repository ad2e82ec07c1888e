import { readdirSync, readFileSync } from 'node:fs';
import {
  type DocumentNode,
  type GraphQLSchema,
  parse,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { type Stack, startSandboxStack } from '../../support/harness.ts';
import { common, type Json } from './answers.ts';

/** A root field at work: `docs/examples/<field>.graphql`, with its variables in `<field>.json`. */
export interface Example {
  /** The root field, which is the file's name. */
  readonly field: string;
  /** What it does, from the comment at the head of the file. */
  readonly purpose: string;
  /** The file without that comment. */
  readonly operation: string;
  readonly document: DocumentNode;
  readonly variables: { readonly [name: string]: Json } | undefined;
}

/** What an example gave. */
export interface ExampleRun {
  /** The answer as it may be shown: what varies and what is secret is masked. */
  readonly answer: Json;
  /** The answers as they came. */
  readonly bodies: readonly Json[];
  /** Number of upstream calls. */
  readonly calls: number;
}

const folder = new URL('../../../docs/examples/', import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, folder), 'utf8');

/** The names of the files in docs/examples, sorted. */
export const exampleFiles = (): readonly string[] => readdirSync(folder).sort();

/** All examples, by their field's name. Throws where one is no GraphQL or no JSON. */
export const readExamples = (): readonly Example[] => {
  const names = exampleFiles();
  return names
    .filter((name) => name.endsWith('.graphql'))
    .map((name) => {
      const [head = '', operation = ''] = read(name).split(/(?<=^(?:#.*\n)+)(?!#)/);
      const field = name.replace(/\.graphql$/, '');
      return {
        field,
        purpose: head.replace(/^# /gm, '').trim().replace(/\n/g, ' '),
        operation,
        document: parse(operation),
        variables: names.includes(`${field}.json`) ? JSON.parse(read(`${field}.json`)) : undefined,
      };
    });
};

/** The names under which the operation asks for fields that their descriptions call secret. */
export const secretNames = (schema: GraphQLSchema, document: DocumentNode): Set<string> => {
  const names = new Set<string>();
  const typeInfo = new TypeInfo(schema);
  visit(
    document,
    visitWithTypeInfo(typeInfo, {
      Field: ({ name, alias }) => {
        if (/^Secret\b/.test(typeInfo.getFieldDef()?.description ?? '')) {
          names.add((alias ?? name).value);
        }
      },
    }),
  );
  return names;
};

type Before = (stack: Stack) => Promise<void>;

const addKey = `mutation {
  createApiKey(
    input: { organizationId: "0a9a0000-0000-4000-8000-000000000001", name: "Other", roles: [ADMIN] }
  ) { userErrors { message } }
}`;
const addDashboard = 'mutation { createDashboard(input: { name: "Other" }) { dashboard { id } } }';
const dropDashboard = `mutation ($dashboardId: ID!) {
  deleteDashboard(input: { dashboardId: $dashboardId }) { deletedDashboardId }
}`;

/** Leaves all that can be read as it was, but uses up the identifiers and secrets of new things. */
const numberOn: Before = async ({ query }) => {
  await query(addKey);
  const { body } = await query(addDashboard);
  const { id: dashboardId } = body.data.createDashboard.dashboard;
  await query(dropDashboard, { variables: { dashboardId } });
};

const ask = async (time: string, { operation, variables }: Example, before?: Before) => {
  const stack = await startSandboxStack({ sandbox: { clock: () => new Date(time) } });
  try {
    await before?.(stack);
    stack.calls.length = 0;
    const { body }: { readonly body: Json } = await stack.query(operation, { variables });
    return { body, calls: stack.calls.length };
  } finally {
    await stack.close();
  }
};

/**
 * Runs an example on two sandboxes, each fresh, at different times and after different histories:
 * what both show alike does not depend on either.
 */
export const runExample = async (schema: GraphQLSchema, example: Example): Promise<ExampleRun> => {
  const first = await ask('2026-11-21T10:00:00Z', example);
  const second = await ask('2026-11-22T11:11:11Z', example, numberOn);
  if (first.calls !== second.calls) throw new Error(`${example.field}: calls vary`);
  return {
    answer: common(first.body, second.body, secretNames(schema, example.document)),
    bodies: [first.body, second.body],
    calls: first.calls,
  };
};

import { type OperationDefinitionNode, parse } from 'graphql';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { graphiqlStart } from '../../sandbox/graphiql.ts';
import { type GraphiqlTab, readTabs } from '../../src/graphiql/start.ts';
import { startOf } from '../support/graphiql-gateway.ts';
import { startSandboxStack } from '../support/harness.ts';

let time = Date.parse('2026-11-21T10:00:00Z');
let stack: Awaited<ReturnType<typeof startSandboxStack>>;
let pane: string;
let tabs: readonly GraphiqlTab[];
let demoTabs: readonly GraphiqlTab[];
beforeAll(async () => {
  stack = await startSandboxStack({ sandbox: { clock: () => new Date(time) } });
  const page = await fetch(stack.url, { headers: { accept: 'text/html' } });
  const { options } = startOf(await page.text());
  pane = options.defaultHeaders;
  tabs = options.defaultTabs;
  demoTabs = await readTabs(graphiqlStart(stack.sandbox).variables);
});
beforeEach(() => {
  stack.calls.length = 0;
});
afterAll(() => stack.close());

const operationsIn = (query: string): readonly OperationDefinitionNode[] =>
  parse(query).definitions.filter((definition) => definition.kind === 'OperationDefinition');

const namesIn = (query: string): string[] =>
  operationsIn(query).map(({ name }) => name?.value ?? '');

/** What JSON with comments and trailing commas says. */
const withoutComments = (text: string): unknown =>
  JSON.parse(text.replaceAll(/^\s*\/\/.*$/gm, '').replace(/,(\s*\})$/, '$1'));

it('are one for each job', () => {
  expect(tabs.map(({ query }) => namesIn(query))).toEqual([
    ['LookAround'],
    ['ServicesWithPipes', 'AllPipes'],
    ['PipeNow', 'StopPipeNow', 'StartPipeNow'],
    ['BoardWithAlerts'],
  ]);
});

it('begin with a comment, in lines that fit their pane', () => {
  for (const { query } of tabs) {
    expect(query).toMatch(/^# /);
    for (const line of query.split('\n')) expect(line.length).toBeLessThanOrEqual(57);
  }
  const panes = [pane, ...[...tabs, ...demoTabs].map(({ variables = '' }) => variables)];
  for (const line of panes.join('\n').split('\n')) expect(line.length).toBeLessThanOrEqual(60);
});

it('have a value for every variable, and no other', () => {
  for (const { query, variables = '{}' } of [...tabs, ...demoTabs]) {
    for (const { variableDefinitions = [] } of operationsIn(query)) {
      const declared = variableDefinitions.map(({ variable }) => variable.name.value);
      const values = JSON.parse(variables);
      expect(Object.keys(values)).toEqual(declared);
      expect(Object.values(values)).not.toContain(null);
    }
  }
});

it('say what to fill in before anything is called', async () => {
  const filled = tabs.filter(({ variables }) => variables !== undefined);
  expect(filled).toHaveLength(3);
  for (const { query, variables = '' } of filled) {
    for (const operationName of namesIn(query)) {
      const { body } = await stack.query(query, {
        operationName,
        variables: JSON.parse(variables),
      });
      expect(JSON.stringify(body), operationName).toMatch(
        /(?:organizationId|\bid) must be .*<id of an? /,
      );
    }
  }
  expect(stack.callList()).toEqual([]);
});

/** How many calls each service takes from one credential in a window of its own. */
const windows = { management: 10, observability: 100 };

const costs = [
  ['LookAround', 2, 2, '1 management call and 1 more for each organization'],
  ['ServicesWithPipes', 5, 0, '1 management call and 1 more for each service.'],
  ['AllPipes', 5, 0, 'Each operation costs 1 management call and 1 more for each service.'],
  ['PipeNow', 1, 0, 'Each operation costs 1 management call.'],
  ['StopPipeNow', 1, 0, 'Each operation costs 1 management call.'],
  ['StartPipeNow', 1, 0, 'Each operation costs 1 management call.'],
  ['BoardWithAlerts', 0, 2, 'Costs 2 observability calls.'],
] as const;

it('cost as many calls as their comments say, and in the demo no more than a window has', async () => {
  expect(costs.map(([name]) => name)).toEqual(demoTabs.flatMap(({ query }) => namesIn(query)));
  for (const [operationName, management, observability, words] of costs) {
    const tab = demoTabs.find(({ query }) => namesIn(query).includes(operationName));
    const { query = '', variables = '{}' } = tab ?? {};
    expect(query.replaceAll(/\n# /g, ' '), operationName).toContain(words);
    stack.calls.length = 0;
    const { body } = await stack.query(query, {
      operationName,
      variables: JSON.parse(variables),
      // What an earlier tab has read must not be answered from memory.
      headers: { 'cache-control': 'no-cache' },
    });
    expect(body.errors, operationName).toBeUndefined();
    expect(JSON.stringify(body), operationName).not.toMatch(/"userErrors":\[\{/);
    const made = (name: string) => stack.calls.filter(({ upstream }) => upstream === name).length;
    expect([operationName, made('management'), made('observability')]).toEqual([
      operationName,
      management,
      observability,
    ]);
    expect(management).toBeLessThanOrEqual(windows.management);
    expect(observability).toBeLessThanOrEqual(windows.observability);
    time += 60_000;
  }
});

it('send no header before one is filled in', () => {
  expect(withoutComments(pane)).toEqual({});
});

it('have headers whose placeholders are refused before anything is called', async () => {
  const headers = withoutComments(pane.replaceAll('// "', '"')) as Record<string, string>;
  expect(Object.keys(headers)).toEqual(['Management-Authorization', 'Observability-Authorization']);
  const { body } = await stack.query('{ organizations { id } alerts { id } }', {
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
    ),
  });
  expect(body.errors).toHaveLength(2);
  for (const { message, extensions } of body.errors) {
    expect(extensions.code).toBe('UNAUTHENTICATED');
    expect(message).toMatch(/-authorization .*; expected "(?:Basic|Bearer) …"/i);
  }
  expect(stack.callList()).toEqual([]);
});

import { type OperationDefinitionNode, parse } from 'graphql';
import { beforeAll, expect, it } from 'vitest';
import { graphiqlStart } from '../../sandbox/graphiql.ts';
import { type GraphiqlTab, readTabs } from '../../src/graphiql/start.ts';
import { startOf } from '../support/graphiql-gateway.ts';
import { useSandboxStack } from '../support/harness.ts';

let time = Date.parse('2026-11-21T10:00:00Z');
const stack = useSandboxStack({ sandbox: { clock: () => new Date(time) } });
let pane: string;
let tabs: readonly GraphiqlTab[];
let demoTabs: readonly GraphiqlTab[];
beforeAll(async () => {
  const page = await fetch(stack.url, { headers: { accept: 'text/html' } });
  const { options } = startOf(await page.text());
  pane = options.defaultHeaders;
  tabs = options.defaultTabs;
  demoTabs = await readTabs(graphiqlStart(stack.sandbox).variables);
});

const operationsIn = (query: string): readonly OperationDefinitionNode[] =>
  parse(query).definitions.filter((definition) => definition.kind === 'OperationDefinition');

const namesIn = (query: string): string[] =>
  operationsIn(query).map(({ name }) => name?.value ?? '');

/** What JSON with comments and trailing commas says. */
const withoutComments = (text: string): unknown =>
  JSON.parse(text.replaceAll(/^\s*\/\/.*$/gm, '').replace(/,(\s*\})$/, '$1'));

it('the tabs say what to fill in before anything is called', async () => {
  const filled = tabs.filter(({ variables }) => variables !== undefined);
  expect(filled).toHaveLength(5);
  for (const { query, variables = '' } of filled) {
    for (const operationName of namesIn(query)) {
      const sent = { operationName, variables: JSON.parse(variables) };
      const { body } = await stack.query(query, sent);
      expect(JSON.stringify(body), operationName).toMatch(
        /(?:organization|dashboard)Id must be .*<id of an? /,
      );
    }
  }
  expect(stack.callList()).toEqual([]);
});

/** The calls to management and to observability, and the words that say so. */
const costs = [
  ['LookAround', 2, 2, '1 management call, 1 more for each organization,'],
  ['ServicesWithPipes', 5, 0, '1 management call, and 1 more for each service:'],
  ['AllPipes', 5, 0, 'Each operation costs 1 management call, and 1 more for each service:'],
  ['PipeNow', 1, 0, 'Each operation costs 1 management call.'],
  ['StopPipeNow', 1, 0, 'Each operation costs 1 management call.'],
  ['StartPipeNow', 1, 0, 'Each operation costs 1 management call.'],
  ['BoardWithAlerts', 0, 2, 'Costs 2 observability calls.'],
  ['BoardInParts', 0, 2, 'Costs 2 observability calls.'],
  ['AlertsLive', 0, 1, 'Costs 1 observability call, 1 more for each poll, and 1 more if'],
  ['NewDashboard', 0, 1, 'Costs 1 observability call.'],
  ['NewPipe', 1, 0, 'Costs 1 management call.'],
] as const;

it('the tabs cost as many calls as their comments say, which is no more than a window has', async () => {
  expect(costs.map(([name]) => name)).toEqual(demoTabs.flatMap(({ query }) => namesIn(query)));
  for (const [operationName, management, observability, words] of costs) {
    const tab = demoTabs.find(({ query }) => namesIn(query).includes(operationName));
    const { query = '', variables = '{}' } = tab ?? {};
    expect(query.replaceAll(/\n# /g, ' '), operationName).toContain(words);
    // test/operations/table.test.ts counts the calls of its first event.
    if (query.includes('subscription ')) continue;
    stack.calls.length = 0;
    // What an earlier tab has read must not be answered from memory.
    const headers = { 'cache-control': 'no-cache' };
    const sent = { operationName, variables: JSON.parse(variables), headers };
    const { body } = await stack.query(query, sent);
    expect(body.errors, operationName).toBeUndefined();
    expect(JSON.stringify(body), operationName).not.toMatch(/"userErrors":\[\{/);
    const made = (name: string) => stack.calls.filter(({ upstream }) => upstream === name).length;
    const counts = [made('management'), made('observability')];
    expect([operationName, ...counts]).toEqual([operationName, management, observability]);
    time += 60_000;
  }
});

it('the tabs send no header before one is filled in, and have placeholders that are refused before anything is called', async () => {
  expect(withoutComments(pane)).toEqual({});
  const headers = withoutComments(pane.replaceAll('// "', '"')) as Record<string, string>;
  expect(Object.keys(headers)).toEqual(['Management-Authorization', 'Observability-Authorization']);
  const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  const { body } = await stack.query('{ organizations { id } alerts { id } }', {
    headers: Object.fromEntries(lower),
  });
  expect(body.errors).toHaveLength(2);
  for (const { message, extensions } of body.errors) {
    expect(extensions.code).toBe('UNAUTHENTICATED');
    expect(message).toMatch(/-authorization .*; expected "(?:Basic|Bearer) …"/i);
  }
  expect(stack.callList()).toEqual([]);
});

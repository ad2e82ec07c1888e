import { type OperationDefinitionNode, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { graphiqlStart } from '../../sandbox/graphiql.ts';
import { credentials } from '../../sandbox/world/credentials.ts';
import { world } from '../../sandbox/world/ids.ts';
import { readTabs } from '../../src/graphiql/start.ts';
import { startSandboxStack } from '../support/harness.ts';

const { headers, variables: values } = graphiqlStart({ credentials, world });
const sent = Object.fromEntries(
  Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
);
const tabs = await readTabs(values);

const operations = tabs.flatMap(({ query, variables = '{}' }) =>
  parse(query)
    .definitions.filter(
      (definition): definition is OperationDefinitionNode =>
        definition.kind === 'OperationDefinition',
    )
    .map(({ name }) => ({
      name: name?.value ?? '',
      document: query,
      variables: JSON.parse(variables),
    })),
);

describe('the example operations of the demo', () => {
  it('are nine, each with a name of its own', () => {
    expect(operations.map(({ name }) => name)).toEqual([
      'LookAround',
      'ListPipes',
      'FollowAPipe',
      'StopBeforeStart',
      'StartAfterStop',
      'RotateAPassword',
      'CreateAKey',
      'MakeADashboard',
      'TuneAnAlert',
    ]);
  });

  it('use every value that the demo gives, and none but those', () => {
    const used = Object.assign({}, ...operations.map(({ variables }) => variables));
    expect(used).toEqual(values);
  });

  it('have nothing secret among their values', () => {
    const { management, observability } = credentials;
    const secrets = [
      ...Object.values(management).flatMap((key) => Object.values(key)),
      ...Object.values(observability).flatMap((token) => Object.values(token)),
    ];
    const text = JSON.stringify(tabs);
    expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
  });

  it('all work as they are, one after the other, with ids that the first two show', async () => {
    let time = Date.parse('2026-11-21T10:00:00Z');
    const stack = await startSandboxStack({ sandbox: { clock: () => new Date(time) } });
    const answers = new Map<string, string>();
    for (const { name, document, variables } of operations) {
      const { body } = await stack.query(document, {
        operationName: name,
        variables,
        headers: sent,
      });
      expect(body.errors, name).toBeUndefined();
      expect(JSON.stringify(body), name).not.toMatch(/"userErrors":\[\{/);
      answers.set(name, JSON.stringify(body.data));
      // Long enough for a pipe to have stopped.
      time += 60_000;
    }
    const { threshold: _, ...ids } = values;
    for (const id of Object.values(ids)) {
      expect(`${answers.get('LookAround')}${answers.get('ListPipes')}`).toContain(`"id":"${id}"`);
    }
    await stack.close();
  });
});

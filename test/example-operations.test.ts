import { type OperationDefinitionNode, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { exampleOperations } from '../sandbox/operations.ts';
import { startSandboxStack } from './harness.ts';

const operations = exampleOperations.flatMap((document) =>
  parse(document)
    .definitions.filter(
      (definition): definition is OperationDefinitionNode =>
        definition.kind === 'OperationDefinition',
    )
    .map(({ name }) => ({ name: name?.value ?? '', document })),
);

describe('the example operations of the demo', () => {
  it('are eight, each with a name of its own', () => {
    expect(operations.map(({ name }) => name)).toEqual([
      'LookAround',
      'FollowAPipe',
      'Stop',
      'Start',
      'RotateAPassword',
      'CreateAKey',
      'MakeADashboard',
      'TuneAnAlert',
    ]);
  });

  it('all work, one after the other', async () => {
    let time = Date.parse('2026-11-21T10:00:00Z');
    const stack = await startSandboxStack({ sandbox: { clock: () => new Date(time) } });
    for (const { name, document } of operations) {
      const { body } = await stack.query(document, { operationName: name });
      expect(body.errors, name).toBeUndefined();
      expect(JSON.stringify(body), name).not.toMatch(/"userErrors":\[\{/);
      // Long enough for a pipe to have stopped.
      time += 60_000;
    }
    await stack.close();
  });
});

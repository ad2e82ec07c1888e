import fc from 'fast-check';
import { parse } from 'graphql';
import { expect, it } from 'vitest';
import { createExecutor } from '../src/executor.ts';
import { anyRecords, schema, texts } from './executor-records.ts';

const neverCompiling = createExecutor(schema, { projectAfter: Number.POSITIVE_INFINITY });

it.each(Object.entries(texts))(
  'the answer is the same before and after a selection is compiled: %s',
  async (_, text) => {
    const property = fc.asyncProperty(anyRecords, async (records) => {
      const execution = { document: parse(text), contextValue: { records } };
      const expected = JSON.stringify(await neverCompiling(execution));
      const executor = createExecutor(schema, { projectAfter: 2 });
      for (const time of ['first', 'second', 'compiled', 'compiled again']) {
        expect(JSON.stringify(await executor(execution)), time).toBe(expected);
      }
    });
    await fc.assert(property, { numRuns: 60, seed: 1 });
  },
);

import type { ExecutionResult } from 'graphql';
import { expect } from 'vitest';
import { printResult } from '../src/execution/print.ts';

/** What is printed of a result, of the length that is told of it. */
export const printed = (result: ExecutionResult): string => {
  const { json, bytes } = printResult(result);
  expect(bytes).toBe(Buffer.byteLength(json));
  return json;
};

import type { ExecutionResult } from 'graphql';
import { type Printed, printJson } from './transcript.ts';

export type { Printed };

const printed = Symbol('the text, once it is printed');

/** A result that goes to several requests; its text is no member of it. */
type SharedResult = ExecutionResult & { [printed]: Printed | undefined };

/** Has a result printed once for all requests that it goes to. It must not change any more. */
export const printOnce = (result: ExecutionResult): void => {
  Object.defineProperty(result, printed, { value: undefined, writable: true, enumerable: false });
};

const isShared = (result: ExecutionResult): result is SharedResult => printed in result;

/** The result as JSON. To be called once nothing is awaited any more. */
export const printResult = (result: ExecutionResult): Printed => {
  if (!isShared(result)) return printJson(result);
  result[printed] ??= printJson(result);
  return result[printed];
};

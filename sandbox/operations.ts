import { readdirSync, readFileSync } from 'node:fs';

const folder = new URL('./operations/', import.meta.url);

/** The worked examples, in their order: GraphiQL's tabs in the demo, and run by the tests. */
export const exampleOperations: readonly string[] = readdirSync(folder)
  .sort()
  .map((name) => readFileSync(new URL(name, folder), 'utf8'));

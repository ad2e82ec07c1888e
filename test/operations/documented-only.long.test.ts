import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Stack, startStack, wide } from '../support/harness.ts';
import { randomOperation } from '../support/random/operation.ts';
import { runsOf, seed } from '../support/random/runs.ts';
import { randomWorld } from '../support/random/world.ts';
import { type Backend, createBackend, isDocumentedRead } from '../support/world/backend.ts';

let off: Stack;
let on: Stack;
/** In front of an upstream with all reads. */
let whole: Stack;
let backend: Backend;
let wholeBackend: Backend;

beforeAll(async () => {
  const options = {
    management: (call: Parameters<Backend['management']>[0]) => backend.management(call),
    observability: (call: Parameters<Backend['observability']>[0]) => backend.observability(call),
  };
  off = await startStack({ ...options, config: { ...wide, extendedReads: false, explain: true } });
  on = await startStack({ ...options, config: wide });
  whole = await startStack({
    management: (call) => wholeBackend.management(call),
    observability: (call) => wholeBackend.observability(call),
    config: wide,
  });
});
afterAll(async () => {
  await off.close();
  await on.close();
  await whole.close();
});

interface Problem {
  readonly path: readonly (string | number)[] | string;
  readonly extensions?: {
    readonly code: string;
    readonly upstream?: { readonly operation: string };
  };
}

/** An answer as lines, so that a difference names its field: the path of each value, and of each error. */
const linesOf = (value: unknown, path = 'data'): readonly string[] =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0
    ? Object.entries(value).flatMap(([name, member]) => linesOf(member, `${path}.${name}`))
    : [`${path}: ${JSON.stringify(value)}`];
const errorsOf = (errors: readonly Problem[] = []): readonly string[] =>
  errors.map(({ path, extensions }) => `${[path].flat().join('.')} ${extensions?.code}`).sort();

it('any query resolves from the documented reads alone, as far as they go', async () => {
  await fc.assert(
    fc.asyncProperty(randomWorld, fc.gen(), async (world, gen) => {
      const { document, variables } = randomOperation(gen);
      const context = `${document}\nvariables ${JSON.stringify(variables)}\n`;
      backend = createBackend(world, { documentedOnly: true });
      wholeBackend = createBackend(world);

      const headers = { 'sluice-explain': '1' };
      const { body: documented } = await off.query(document, { variables, headers });
      const lines = [...linesOf(documented.data), ...errorsOf(documented.errors)];
      const fieldsOf = (name: string) =>
        (documented.errors ?? [])
          .filter(({ extensions }: Problem) => extensions?.upstream?.operation === name)
          .map(({ path }: Problem) => [path].flat().join('.'));
      const calls: readonly { readonly operation: string; readonly path: string }[] =
        documented.extensions.upstream;
      for (const { operation: name, path } of calls) {
        const undocumented = `${name} is no documented read, but GET ${path} was sent for ${fieldsOf(name)}`;
        expect(isDocumentedRead(path), `${undocumented}\n${context}`).toBe(true);
      }

      // Finding out that a route is lacking changes nothing of the answer.
      const { body: lacking } = await on.query(document, { variables });
      const others = [...linesOf(lacking.data), ...errorsOf(lacking.errors)];
      expect(others, `the answer with EXTENDED_READS on to ${context}`).toEqual(lines);

      // Where no field says that it lacks an operation, the answer is the one of a whole upstream.
      if (lines.some((line) => line.endsWith(' OPERATION_UNAVAILABLE'))) return;
      const { body: answered } = await whole.query(document, { variables });
      const wholeLines = [...linesOf(answered.data), ...errorsOf(answered.errors)];
      expect(lines, `the answer of an upstream with all reads to ${context}`).toEqual(wholeLines);
    }),
    { numRuns: runsOf(30), seed },
  );
}, 120_000);

import fc from 'fast-check';
import { buildASTSchema, parse, printSchema, visit } from 'graphql';
import { expect, it } from 'vitest';
import type { Config } from '../../src/config.ts';
import { type AnswerError, useStack, wide } from '../support/harness.ts';
import { gatewaySchema, randomOperation } from '../support/random/operation.ts';
import { randomFrom } from '../support/random/random.ts';
import { runsOf, seed } from '../support/random/runs.ts';
import { randomWorld } from '../support/random/world.ts';
import { type Backend, createBackend, isDocumentedRead } from '../support/world/backend.ts';

/** Without what tells the gateways of this test apart. */
const schema = buildASTSchema(
  visit(parse(printSchema(gatewaySchema)), {
    FieldDefinition: ({ name }) => (name.value === 'gateway' ? null : undefined),
  }),
);

let backend: Backend;
let wholeBackend: Backend;

const useBackend = (current: () => Backend, config: Partial<Config> = {}) =>
  useStack({
    management: (call) => current().management(call),
    observability: (call) => current().observability(call),
    config: { ...wide, ...config },
  });
const off = useBackend(() => backend, { extendedReads: false, explain: true });
const on = useBackend(() => backend);
/** In front of an upstream with all reads. */
const whole = useBackend(() => wholeBackend);

/** An answer as lines, so that a difference names its field: the path of each value, and of each error. */
const linesOf = (value: unknown, path = 'data'): readonly string[] =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0
    ? Object.entries(value).flatMap(([name, member]) => linesOf(member, `${path}.${name}`))
    : [`${path}: ${JSON.stringify(value)}`];
const errorsOf = ({ errors = [] }: { readonly errors?: readonly AnswerError[] }) =>
  errors.map(({ path, extensions }) => `${path.join('.')} ${extensions.code}`).sort();

it('any query resolves from the documented reads alone, as far as they go', async () => {
  await fc.assert(
    fc.asyncProperty(fc.gen(), async (gen) => {
      const world = randomWorld(randomFrom(gen));
      const { document, variables } = randomOperation(gen, { schema });
      const context = `${document}\nvariables ${JSON.stringify(variables)}\n`;
      backend = createBackend(world, { documentedOnly: true });
      wholeBackend = createBackend(world);

      const headers = { 'sluice-explain': '1' };
      const { body: documented } = await off.query(document, { variables, headers });
      const lines = [...linesOf(documented.data), ...errorsOf(documented)];
      const errors: readonly AnswerError[] = documented.errors ?? [];
      for (const { operation: name, path } of documented.extensions.upstream) {
        const failed = errors.filter(({ extensions }) => extensions.upstream?.operation === name);
        const fields = failed.map((error) => error.path.join('.'));
        const told = `${name} is no documented read, but GET ${path} was sent for ${fields}`;
        expect(isDocumentedRead(path), `${told}\n${context}`).toBe(true);
      }

      // Finding out that a route is lacking changes nothing of the answer.
      const { body: lacking } = await on.query(document, { variables });
      const others = [...linesOf(lacking.data), ...errorsOf(lacking)];
      expect(others, `the answer with EXTENDED_READS on to ${context}`).toEqual(lines);

      // Where no field says that it lacks an operation, the answer is the one of a whole upstream.
      if (lines.some((line) => line.endsWith(' OPERATION_UNAVAILABLE'))) return;
      const { body: answered } = await whole.query(document, { variables });
      const wholeLines = [...linesOf(answered.data), ...errorsOf(answered)];
      expect(lines, `the answer of an upstream with all reads to ${context}`).toEqual(wholeLines);
    }),
    { numRuns: runsOf(30, 500), seed },
  );
}, 600_000);

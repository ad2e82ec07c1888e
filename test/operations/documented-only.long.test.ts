import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type GraphQLAnswer, type Stack, startStack, wide } from '../support/harness.ts';
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
  off = await startStack({ ...options, config: { ...wide, extendedReads: false } });
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

const errorsOf = ({ body }: GraphQLAnswer): readonly string[] =>
  (body.errors ?? [])
    .map(
      ({ path, extensions }: { path: unknown[]; extensions: { code: string } }) =>
        `${path.join('.')} ${extensions.code}`,
    )
    .sort();

const unavailable = / OPERATION_UNAVAILABLE$/;

it('any query resolves from the documented reads alone, as far as they go', async () => {
  await fc.assert(
    fc.asyncProperty(randomWorld, fc.gen(), async (world, gen) => {
      const { document, variables } = randomOperation(gen);
      const context = `${document}\nvariables ${JSON.stringify(variables)}`;
      backend = createBackend(world, { documentedOnly: true });
      wholeBackend = createBackend(world);
      off.calls.length = 0;

      const switchedOff = await off.query(document, { variables });
      const undocumented = off.calls.filter(({ path }) => !isDocumentedRead(path));
      expect(undocumented, context).toEqual([]);

      // Finding out that a route is lacking changes nothing of the answer.
      const lacking = await on.query(document, { variables });
      expect(lacking.body.data, context).toEqual(switchedOff.body.data);
      expect(errorsOf(lacking), context).toEqual(errorsOf(switchedOff));

      // Where no field says that it lacks an operation, the answer is the one of a whole upstream.
      if (errorsOf(switchedOff).some((error) => unavailable.test(error))) return;
      const answered = await whole.query(document, { variables });
      expect(switchedOff.body.data, context).toEqual(answered.body.data);
      expect(errorsOf(switchedOff), context).toEqual(errorsOf(answered));
    }),
    { numRuns: runsOf(30), seed },
  );
}, 120_000);

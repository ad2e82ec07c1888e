import fc from 'fast-check';
import {
  execute,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isObjectType,
  parse,
} from 'graphql';
import { expect, it } from 'vitest';
import { checkNullVariables } from '../../src/documents/null-variables.ts';
import { reshaped } from '../execution/odd-schema.ts';
import { gatewaySchema, randomOperation } from '../support/random/operation.ts';
import { runsOf, seed } from '../support/random/runs.ts';

/** Each field gives a list with a value of each of its types, so that all that can be reached is. */
const schema: GraphQLSchema = reshaped((named) =>
  isCompositeType(gatewaySchema.getType(named)) ? `[${named}]` : named,
);
const valuesOf = (_: unknown, __: unknown, ___: unknown, info: { returnType: unknown }) => {
  const type = getNamedType(info.returnType as Parameters<typeof getNamedType>[0]);
  const types = isAbstractType(type) ? schema.getPossibleTypes(type) : [type];
  return isObjectType(types[0]) ? types.map((each) => ({ __typename: each?.name })) : null;
};

it('refuses an operation exactly if graphql-js fails for null in some place that can be reached', () => {
  const met = { refused: 0, executed: 0 };
  fc.assert(
    fc.property(fc.gen(), (gen) => {
      const operation = randomOperation(gen, { schema, isOdd: true });
      // Of a fragment that is spread twice, graphql-js does not look at the second one's conditions.
      const text = operation.document.replaceAll(/(\.\.\.\w+)( @\w+\(if: [^)]*\))+/g, '$1');
      const document = parse(text);
      const variableValues = { ...operation.variables };
      const refused = checkNullVariables(schema, { document, variableValues });
      const result = execute({ schema, document, variableValues, fieldResolver: valuesOf });
      if (result instanceof Promise) throw new TypeError('nothing is asynchronous here');
      const messages = (result.errors ?? []).map(({ message }) => message);
      for (const message of messages) {
        expect(message).toMatch(
          /^Argument "[\w.@(:)]+" (?:of non-null type .* must not be null|has invalid value)/,
        );
      }
      expect(refused !== undefined, text).toBe(messages.length > 0);
      met[refused ? 'refused' : 'executed'] += 1;
    }),
    { numRuns: runsOf(250, 3000), seed, endOnFailure: true },
  );
  expect(Math.min(met.refused, met.executed)).toBeGreaterThan(20);
});

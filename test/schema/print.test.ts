import { readFileSync } from 'node:fs';
import {
  buildClientSchema,
  buildSchema,
  type GraphQLSchema,
  getIntrospectionQuery,
  lexicographicSortSchema,
  printSchema,
} from 'graphql';
import { expect, it, onTestFinished } from 'vitest';
import { startSandboxStack } from '../support/harness.ts';

const sorted = (schema: GraphQLSchema): string =>
  `${printSchema(lexicographicSortSchema(schema))}\n`;

/** The directives that an operation or a schema may use, also those that a print leaves out. */
const directives = (schema: GraphQLSchema): readonly string[] =>
  lexicographicSortSchema(schema)
    .getDirectives()
    .map(({ name, args, isRepeatable, locations }) =>
      [
        `@${name}(${args.map((arg) => `${arg.name}: ${arg.type}`).join(', ')})`,
        ...(isRepeatable ? ['repeatable'] : []),
        `on ${locations.join(' | ')}`,
      ].join(' '),
    );

const readPrinted = (): string =>
  readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8');

it('loses nothing in the print: @oneOf, deprecations and descriptions are read back', () => {
  const schema = buildSchema(readPrinted());
  expect(sorted(schema)).toBe(readPrinted());
  expect(readPrinted()).toMatch(/^input \w+ @oneOf \{$/m);
  expect(readPrinted()).toMatch(/^ {2}\w+: \w+ @deprecated\(reason: "\w/m);
});

it('is the schema that a running gateway shows to introspection', async () => {
  const stack = await startSandboxStack();
  onTestFinished(() => stack.close());
  const { body } = await stack.query(
    getIntrospectionQuery({
      specifiedByUrl: true,
      directiveIsRepeatable: true,
      schemaDescription: true,
      inputValueDeprecation: true,
      oneOf: true,
    }),
  );
  const shown = buildClientSchema(body.data);
  expect(sorted(shown)).toBe(readPrinted());
  expect(directives(shown)).toContain('@oneOf() on INPUT_OBJECT');
  expect(directives(shown)).toEqual(directives(buildSchema(readPrinted())));
});

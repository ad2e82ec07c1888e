import { isObjectType } from 'graphql';
import { expect, it } from 'vitest';
import { asOfParent } from '../src/execution/of-parent.ts';
import { resolvers } from '../src/resolvers/index.ts';
import { createSchema } from '../src/schema.ts';

it('leaves each resolver of the parent alone marked in the schema, where the executor looks for it', () => {
  const schema = createSchema();
  const marked = Object.entries(resolvers).flatMap(([typeName, fields]) =>
    Object.entries(fields)
      .filter(([, resolve]) => asOfParent(resolve))
      .map(([name]) => ({ typeName, name })),
  );
  const lost = marked.filter(({ typeName, name }) => {
    const type = schema.getType(typeName);
    return !isObjectType(type) || !asOfParent(type.getFields()[name]?.resolve);
  });
  expect(marked).toContainEqual({ typeName: 'Pipe', name: 'source' });
  expect(marked).toContainEqual({ typeName: 'PipeSettings', name: 'engineMaxThreads' });
  expect(lost).toEqual([]);
});

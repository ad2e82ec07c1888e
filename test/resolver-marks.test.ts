import { isObjectType } from 'graphql';
import { expect, it } from 'vitest';
import { asOfParent, membersOf, variantsOf } from '../src/execution/of-parent.ts';
import { resolvers } from '../src/resolvers/index.ts';
import { createSchema } from '../src/schema.ts';

/** Whatever a resolver may be marked with. */
const marksOf = (resolve: unknown): readonly unknown[] =>
  typeof resolve === 'function'
    ? [asOfParent(resolve) !== undefined, membersOf(resolve), variantsOf(resolve)]
    : [];
const isMarked = (resolve: unknown): boolean => marksOf(resolve).some(Boolean);

it('leaves each resolver marked in the schema as it was written, where the executor looks for it', () => {
  const schema = createSchema();
  const marked = Object.entries(resolvers).flatMap(([typeName, fields]) =>
    Object.entries(fields)
      .filter(([, resolve]) => isMarked(resolve))
      .map(([name, resolve]) => ({ typeName, name, marks: marksOf(resolve) })),
  );
  const left = marked.map(({ typeName, name }) => {
    const type = schema.getType(typeName);
    const resolve = isObjectType(type) ? type.getFields()[name]?.resolve : undefined;
    return { typeName, name, marks: marksOf(resolve) };
  });
  const names = marked.map(({ typeName, name }) => `${typeName}.${name}`);
  expect(names).toEqual(
    expect.arrayContaining(['Pipe.source', 'PipeSettings.engineMaxThreads', 'Alert.dashboard']),
  );
  expect(left).toEqual(marked);
});

/** Members of every kind that records have; whichever is not told of a resolver's looking must not be looked at. */
const record = new Proxy<Record<string, unknown>>(
  {},
  { get: (_, name) => (name === 'source' ? { kafka: {} } : `some ${String(name)}`) },
);

it('a resolver that is marked with members looks at these alone', async () => {
  const context = {
    links: { follow: (to: unknown) => to },
  };
  const found: string[] = [];
  for (const [typeName, fields] of Object.entries(resolvers)) {
    for (const [name, resolve] of Object.entries(fields)) {
      if (typeof resolve !== 'function') continue;
      const members = membersOf(resolve) ?? (variantsOf(resolve) && [variantsOf(resolve)?.member]);
      if (!members) continue;
      const looked = new Set<unknown>();
      const parent = new Proxy(record, {
        get: (target, member) => {
          looked.add(member);
          return Reflect.get(target, member);
        },
        has: (_, member) => {
          looked.add(member);
          return true;
        },
        ownKeys: () => {
          looked.add('all');
          return [];
        },
      });
      await Reflect.apply(resolve, undefined, [parent, {}, context, {}]);
      expect([...looked].sort(), `${typeName}.${name}`).toEqual([...members].sort());
      found.push(`${typeName}.${name}`);
    }
  }
  expect(found).toEqual(
    expect.arrayContaining(['Alert.dashboard', 'Alert.tile', 'Alert.nodeId', 'Pipe.source']),
  );
});

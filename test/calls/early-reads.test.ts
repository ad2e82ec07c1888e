import { getNamedType, isCompositeType, isObjectType, isRequiredArgument } from 'graphql';
import { expect, it } from 'vitest';
import { createSchema } from '../../src/gateway/schema.ts';
import { readsOf } from '../../src/schema/reads.ts';
import { cloud, hyperdx, oneTree } from '../profiles/rows.ts';
import { type Answer, type Call, data, result, useStack, wide } from '../support/harness.ts';
import { withIds } from '../support/world/ids.ts';

const schema = createSchema();
const reads = readsOf(schema);

/** The path of each type's nodeId. */
const nodes: Readonly<Record<string, string>> = {
  Organization: 'organization-1',
  Service: 'organization-1:service-1',
  Pipe: 'organization-1:service-1:pipe-1',
  Dashboard: 'dashboard-1',
};
/** The same in the ClickStack of a service. */
const inStack: Readonly<Record<string, string>> = {
  ...nodes,
  Dashboard: 'organization-1:service-1:dashboard-1',
};

const values: Readonly<Record<string, string>> = { fromDate: '2026-11-01', toDate: '2026-11-02' };

/** Each field of such a type whose read can begin early, with an operation that selects it. */
const rows = Object.entries(nodes).flatMap(([typeName]) => {
  const type = schema.getType(typeName);
  if (!isObjectType(type)) throw new TypeError(`${typeName} is no type`);
  return Object.values(type.getFields()).flatMap(({ name, args, type: of }) => {
    const read = reads.readOf(typeName, name);
    if (read?.kind !== 'read') return [];
    const given = args.filter(isRequiredArgument).map((arg) => {
      const value = values[arg.name] ?? (name === 'pipe' ? 'pipe-1' : 'service-1');
      return `${arg.name}: "${value}"`;
    });
    const called = name + (given.length > 0 ? `(${given.join(' ')})` : '');
    const below = read.entity ? ' { name }' : ' { __typename }';
    const selection = called + (isCompositeType(getNamedType(of)) ? below : '');
    const isInStack = read.profiles.length > 0;
    const path = (isInStack ? inStack : nodes)[typeName];
    const document = `{ node(nodeId: "${typeName}:${path}") { ... on ${typeName} { name field: ${selection} } } }`;
    return [{ title: `${typeName}.${name}`, document: withIds(document), isInStack }];
  });
});

const isOne = /\/[^/]*\d[^/]*$|backupConfiguration$|usageCost/;

const held: (() => void)[] = [];
const answer = async ({ upstream, path }: Call): Promise<Answer> => {
  await new Promise<void>((release) => held.push(release));
  const found = isOne.test(path.replace(/\?.*/, '')) ? { id: 'x', name: 'x' } : [];
  return upstream === 'management' ? result(found) : data(found);
};
const backends = { management: answer, observability: answer };
const apart = useStack({ ...backends, config: { ...wide, ...cloud, ...hyperdx } });
const together = useStack({ ...backends, config: { ...wide, ...oneTree } });

it.each(rows)('$title is read in the same round as its parent', async ({ document, isInStack }) => {
  // In one tree the key for management counts for both.
  const headers = isInStack ? { 'observability-authorization': '' } : {};
  const asked = (isInStack ? together : apart).query(document, { headers });
  await expect.poll(() => held.length, { interval: 5 }).toBe(2);
  for (const release of held.splice(0)) release();
  const { body } = await asked;
  expect(body.data.node).not.toBeNull();
  expect(held).toEqual([]);
});

it('every type with such fields has a row', () => {
  const types = Object.keys(schema.getTypeMap()).filter(
    (name) => reads.entityOf(name)?.read.isList === false,
  );
  // Tiles are found through their dashboard, and alerts have links alone.
  expect(types.filter((name) => !nodes[name]).sort()).toEqual(['Alert', 'Tile']);
});

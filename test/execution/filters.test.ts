import { expect, it } from 'vitest';
import { data, result, useStack } from '../support/harness.ts';
import { withIds, withNames } from '../support/world/ids.ts';

const alerts = [
  {
    id: 'a',
    dashboard: 'd1',
    tileId: 't1',
    source: 'tile',
    thresholdType: 'above',
    name: 'Orders',
  },
  {
    id: 'b',
    dashboard: 'd1',
    tileId: 't2',
    source: 'search',
    thresholdType: 'below',
    name: 'No o',
  },
  { id: 'c', dashboard: 'd2', tileId: 't1', source: 'saved_search', name: null },
  { id: 'd' },
];
const pipes = [
  { id: withIds('pipe-1'), source: { kafka: {} }, name: 'Orders' },
  { id: withIds('pipe-2'), source: { postgres: {} }, name: 'clicks' },
  { id: withIds('pipe-3'), source: null },
];

const stack = useStack({ management: () => result(pipes), observability: () => data(alerts) });

// Filters by states, phases and tags are in test/operations/states.test.ts.
it.each([
  ['alerts', 'dashboardIdIn: ["d1", "d3"]', 'a b'],
  ['alerts', 'tileIdIn: ["t1"]', 'a c'],
  ['alerts', 'sourceIn: [SEARCH]', 'b c'],
  ['alerts', 'thresholdTypeIn: [BELOW, UNKNOWN]', 'b'],
  ['alerts', 'nameContains: "O"', 'a b'],
  ['alerts', 'nameContains: ""', 'a b'],
  ['alerts', 'tileIdIn: ["t1"], sourceIn: [SEARCH]', 'c'],
  ['alerts', 'dashboardIdIn: null, tileIdIn: null, sourceIn: null, nameContains: null', 'a b c d'],
  ['alerts', 'thresholdTypeIn: null, stateIn: null, phaseIn: null, tagIn: null', 'a b c d'],
  ['alerts', 'tileIdIn: []', ''],
  ['pipes', 'sourceIn: [KAFKA, MYSQL]', 'pipe-1'],
  ['pipes', 'sourceIn: []', ''],
  ['pipes', 'nameContains: "LICK"', 'pipe-2'],
  ['pipes', 'sourceIn: null, nameContains: null', 'pipe-1 pipe-2 pipe-3'],
])('of the %s, those with %s are %s', async (list, filter, expected) => {
  const found = `found: ${list}(filter: { ${filter} }) { id }`;
  const { body } = await stack.query(
    withIds(
      list === 'alerts'
        ? `{ of: __typename ${found} }`
        : `{ of: service(@service-1) { ${found} } }`,
    ),
  );
  const { found: things = body.data.found } = body.data.of;
  expect(withNames(things.map(({ id }: { id: string }) => id).join(' '))).toBe(expected);
});

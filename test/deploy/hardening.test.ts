import { expect, it } from 'vitest';
import { at, faultsOf, hardening, leavesOf, without } from '../support/deploy/hardening.ts';
import { render } from '../support/deploy/render.ts';

const manifests = render('deploy/example');
const leaves = leavesOf(manifests);
const isUnder = (path: string, row: string): boolean => path === row || path.startsWith(`${row} `);
const protecting = leaves.filter((leaf) => hardening.some(([row]) => isUnder(leaf, row)));

/** What says which thing it is, and is tested elsewhere in this folder. */
const naming = [
  / (apiVersion|kind)$/,
  / metadata (name|namespace|labels app\S+)$/,
  / selector matchLabels \S+$/,
  / template metadata labels \S+$/,
  / containers 0 (name|image)$/,
  / containers 0 (ports|env|envFrom) /,
  /^Service \S+ spec /,
  /^ConfigMap \S+ data /,
];

it('every line of hardening says what it has to', () => {
  expect(faultsOf(manifests)).toEqual([]);
});

it.each(protecting)('the check fails without %s', (leaf) => {
  expect(at(manifests, leaf)).toBeDefined();
  const faults = faultsOf(without(manifests, leaf));
  expect(faults.filter((fault) => !faultsOf(manifests).includes(fault))).toHaveLength(1);
});

it('every row of the check has a line', () => {
  const rows = hardening.map(([row]) => row);
  expect(rows.filter((row) => !protecting.some((leaf) => isUnder(leaf, row)))).toEqual([]);
});

it('no line is left that the check does not know and that only names something', () => {
  const others = leaves.filter((leaf) => !protecting.includes(leaf));
  expect(others.filter((leaf) => !naming.some((pattern) => pattern.test(leaf)))).toEqual([]);
});

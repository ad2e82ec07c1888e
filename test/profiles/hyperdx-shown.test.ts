import { describe, expect, it } from 'vitest';
import { section, table } from '../support/docs/pages.ts';
import { data } from '../support/harness.ts';
import { textOf } from '../support/operations.ts';
import {
  alertsOf,
  dashboardOf,
  dataSource,
  eras,
  savedSearch,
  webhookRecord,
} from '../support/profiles/hyperdx-records.ts';
import type { Members } from '../support/profiles/record.ts';
import { startProfile } from '../support/profiles/rows.ts';

type Path = readonly (string | number)[];

/** The places of a record that hold a value, and not members or items. */
const leavesOf = (value: unknown, at: Path = []): readonly Path[] => {
  if (typeof value !== 'object' || value === null) return value === null ? [] : [at];
  const isList = Array.isArray(value);
  return Object.entries(value).flatMap(([name, member]) =>
    leavesOf(member, [...at, isList ? Number(name) : name]),
  );
};

const another = (value: unknown): unknown => {
  if (typeof value === 'number') return value + 1;
  return typeof value === 'boolean' ? !value : `${value}x`;
};

/** The record with another value in one place. */
const changedAt = (record: unknown, [name, ...rest]: Path): unknown => {
  if (name === undefined) return another(record);
  const copy: Record<string | number, unknown> = Object.assign(
    Array.isArray(record) ? [] : {},
    record,
  );
  copy[name] = changedAt(copy[name], rest);
  return copy;
};

/** A place as the documentation names it: `tiles[].name`. */
const nameOf = (path: Path): string =>
  path
    .map((name) => (typeof name === 'number' ? '[]' : `.${name}`))
    .join('')
    .slice(1);

/** The members of records that may be anything without a change of what an operation answers that selects every field. */
const hiddenIn = async (
  records: readonly Members[],
  operation: string,
): Promise<readonly string[]> => {
  let answer: unknown;
  const stack = await startProfile({ observability: () => data(answer) });
  // A subscription selects what its query does, and nothing of other objects.
  const document = textOf(operation).replace(/^subscription/m, 'query');
  const show = async (record: unknown): Promise<string> => {
    answer = operation === 'CreateDashboard' ? record : [record];
    const { body } = await stack.query(document, { variables: { input: {} } });
    const messages = body.errors?.map(({ message }: { readonly message: string }) => message);
    return JSON.stringify([body.data, messages]);
  };
  const shown = new Set<string>();
  for (const record of records) {
    const before = await show(record);
    for (const leaf of leavesOf(record)) {
      if ((await show(changedAt(record, leaf))) !== before) shown.add(nameOf(leaf));
    }
  }
  const all = new Set(records.flatMap((record) => leavesOf(record).map(nameOf)));
  return [...all].filter((name) => !shown.has(name)).sort();
};

const heading = 'What is not shown of HyperDX';
const told = table(section('docs/live-services.md', heading), 'Record', 'HyperDX 2.13');

describe.each(eras)('dialect %s', (era) => {
  it.each<[name: string, records: readonly Members[], operation: string]>([
    ['alert', alertsOf[era], 'LiveAlerts'],
    ['data source', era === 'H' ? [dataSource] : [], 'DataSources'],
    ['webhook', era === 'H' ? [webhookRecord] : [], 'Webhooks'],
    ['saved search', era === 'H' ? [savedSearch] : [], 'SavedSearches'],
    ['dashboard', [dashboardOf[era]], 'CreateDashboard'],
  ])(
    'the members of the record “%s” that are not shown are those that the documentation lists',
    async (name, records, operation) => {
      const listed = told
        .filter(([record]) => record === name)
        .flatMap((cells) => cells[era === 'E' ? 1 : 2]?.match(/[^`, ]+/g) ?? []);
      expect(await hiddenIn(records, operation)).toEqual(listed.sort());
    },
  );
});

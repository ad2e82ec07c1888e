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
} from './hyperdx-records.ts';
import { type Members, startProfile } from './rows.ts';

/** The places of a record that hold a value, as the documentation names them (`tiles[].name`), and the record with another one there. */
const changesOf = (value: unknown): readonly (readonly [place: string, changed: unknown])[] => {
  if (value === null) return [];
  if (typeof value === 'number') return [['', value + 1]];
  if (typeof value !== 'object') return [['', typeof value === 'boolean' ? !value : `${value}x`]];
  return Object.entries(value).flatMap(([name, member]) =>
    changesOf(member).map(([place, changed]) => {
      if (Array.isArray(value)) return [`[]${place}`, value.with(Number(name), changed)] as const;
      return [`.${name}${place}`, { ...value, [name]: changed }] as const;
    }),
  );
};

/** The members of records that may be anything without a change of what an operation answers that selects every field. */
const hiddenIn = async (records: readonly Members[], operation: string): Promise<string[]> => {
  let answer: unknown;
  const stack = await startProfile({ observability: () => data(answer) });
  // A subscription selects what its query does, and nothing of other objects.
  const document = textOf(operation).replace(/^subscription/m, 'query');
  const show = async (record: unknown): Promise<string> => {
    answer = operation === 'CreateDashboard' ? record : [record];
    const { body } = await stack.query(document, { variables: { input: { name: 'n' } } });
    const messages = body.errors?.map(({ message }: { readonly message: string }) => message);
    return JSON.stringify([body.data, messages]);
  };
  const places = { all: new Set<string>(), shown: new Set<string>() };
  for (const record of records) {
    const before = await show(record);
    for (const [place, changed] of changesOf(record)) {
      places.all.add(place.slice(1));
      if ((await show(changed)) !== before) places.shown.add(place.slice(1));
    }
  }
  return [...places.all.difference(places.shown)].sort();
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

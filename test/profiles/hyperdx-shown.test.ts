import { describe, expect, it } from 'vitest';
import { section, table } from '../support/docs/pages.ts';
import { data } from '../support/harness.ts';
import { type documents, textOf } from '../support/operations.ts';
import { dashboardOf } from '../support/profiles/hyperdx-dashboards.ts';
import {
  dataSource,
  savedSearch,
  webhookRecord,
} from '../support/profiles/hyperdx-list-records.ts';
import { alertsOf, type Era, eras, type Members } from '../support/profiles/hyperdx-records.ts';
import { startHyperdx } from '../support/profiles/hyperdx-stack.ts';
import { changedAt, leavesOf, nameOf } from '../support/profiles/leaves.ts';

interface Kind {
  /** As the documentation names it. */
  readonly record: string;
  readonly recordsOf: (era: Era) => readonly Members[];
  /** The operation that selects every field there is. */
  readonly operation: keyof typeof documents;
}

const kinds: readonly Kind[] = [
  { record: 'alert', recordsOf: (era) => alertsOf[era], operation: 'LiveAlerts' },
  {
    record: 'data source',
    recordsOf: (era) => (era === 'H' ? [dataSource] : []),
    operation: 'DataSources',
  },
  {
    record: 'webhook',
    recordsOf: (era) => (era === 'H' ? [webhookRecord] : []),
    operation: 'Webhooks',
  },
  {
    record: 'saved search',
    recordsOf: (era) => (era === 'H' ? [savedSearch] : []),
    operation: 'SavedSearches',
  },
  { record: 'dashboard', recordsOf: (era) => [dashboardOf[era]], operation: 'CreateDashboard' },
];

/** The members of records that may be anything without a change of what the gateway answers. */
const hiddenIn = async ({ recordsOf, operation }: Kind, era: Era): Promise<readonly string[]> => {
  let answer: unknown;
  const stack = await startHyperdx(() => data(answer));
  // A subscription selects what its query does, and nothing of other objects.
  const document = textOf(operation).replace(/^subscription/, 'query');
  const variables = { input: {} };
  const show = async (record: unknown): Promise<string> => {
    answer = operation === 'CreateDashboard' ? record : [record];
    const { body } = await stack.query(document, { variables });
    const messages = body.errors?.map(({ message }: { readonly message: string }) => message);
    return JSON.stringify([body.data, messages]);
  };
  const seen = new Map<string, boolean>();
  for (const record of recordsOf(era)) {
    const shown = await show(record);
    for (const leaf of leavesOf(record)) {
      const isShown = (await show(changedAt(record, leaf))) !== shown;
      seen.set(nameOf(leaf), seen.get(nameOf(leaf)) === true || isShown);
    }
  }
  return [...seen].flatMap(([name, isShown]) => (isShown ? [] : [name])).sort();
};

const told = table(
  section('docs/live-services.md', 'What the gateway does not show of HyperDX'),
  'Record',
  'HyperDX 2.13',
);

describe.each(eras)('dialect %s', (era) => {
  it.each(kinds)(
    'the members of the record “$record” that are not shown are those that the documentation lists',
    async (kind) => {
      const listed = told
        .filter(([record]) => record === kind.record)
        .flatMap((cells) => cells[era === 'E' ? 1 : 2]?.match(/[^`, ]+/g) ?? []);
      expect(await hiddenIn(kind, era)).toEqual(listed.sort());
    },
  );
});

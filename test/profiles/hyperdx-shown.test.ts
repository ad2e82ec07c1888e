import { expect, it } from 'vitest';
import { differences, entriesOf, hiddenOfHyperdx } from '../contracts/left-out.ts';
import { hiddenIn } from './hidden.ts';
import { alertsOf, dashboardOf } from './hyperdx-records.ts';

/** What HyperDX 2.13 answers, of which there is no list: test/contracts/drift.test.ts has that of newer servers. */
const records: Readonly<Record<string, readonly unknown[]>> = {
  alert: alertsOf.E,
  dashboard: [dashboardOf.E],
};

it.each(hiddenOfHyperdx.flatMap(({ earlier, ...each }) => (earlier ? [{ earlier, ...each }] : [])))(
  'each member of the record $record of HyperDX 2.13 is shown, or left out on purpose',
  async ({ record, operation, earlier }) => {
    const hidden = await hiddenIn(records[record] ?? [], operation);
    expect(differences(hidden, entriesOf(earlier))).toEqual({ isNew: [], isGone: [] });
  },
);

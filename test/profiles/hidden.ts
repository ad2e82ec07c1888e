import { data } from '../support/harness.ts';
import { textOf } from '../support/operations.ts';
import { startProfile } from './rows.ts';

/** The places of a value that hold one without members, as the documentation names them (`.tiles[].name`). */
const placesOf = (value: unknown, place = ''): readonly string[] => {
  if (value === null) return [];
  if (Array.isArray(value)) return value.flatMap((each) => placesOf(each, `${place}[]`));
  if (typeof value !== 'object') return [place];
  return Object.entries(value).flatMap(([name, each]) => placesOf(each, `${place}.${name}`));
};

const other = (value: unknown): unknown => {
  if (typeof value === 'number') return value + 1;
  return typeof value === 'boolean' ? !value : `${value}x`;
};

/** The value with another one at each of these places. */
const changedAt = (changed: string, value: unknown, place = ''): unknown => {
  if (value === null || !changed.startsWith(place)) return value;
  if (Array.isArray(value)) return value.map((each) => changedAt(changed, each, `${place}[]`));
  if (typeof value !== 'object') return changed === place ? other(value) : value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      changedAt(changed, each, `${place}.${name}`),
    ]),
  );
};

/**
 * The members of records of HyperDX that may be anything without a change of what an operation answers that selects every
 * field.
 */
export const hiddenIn = async (
  records: readonly unknown[],
  operation: string,
): Promise<string[]> => {
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
  const hidden = new Set<string>();
  const shown = new Set<string>();
  for (const record of records) {
    const before = await show(record);
    for (const place of new Set(placesOf(record))) {
      if (shown.has(place)) continue;
      const isShown = (await show(changedAt(place, record))) !== before;
      (isShown ? shown : hidden).add(place);
    }
  }
  return [...hidden.difference(shown)].map((place) => place.slice(1)).sort();
};

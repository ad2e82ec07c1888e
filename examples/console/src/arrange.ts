/** A pipe or an alert, for sorting and filtering. */
export interface Entry<Phase extends string> {
  readonly name: string;
  /** Where it belongs: its service, or its dashboard and tile. */
  readonly place: string;
  readonly phase: Phase;
}

export type Order = 'place' | 'phase' | 'name';

/** A user's filter and order for a list. */
export interface View<Phase extends string> {
  readonly text: string;
  readonly phase: Phase | 'ALL';
  readonly order: Order;
}

// `pipe 2` comes before `pipe 10`.
const { compare } = new Intl.Collator('en', { numeric: true });

/** The entries that match the view, in its order; `phases` are in the order of their urgency. */
export const arrange = <Phase extends string, Item extends Entry<Phase>>(
  items: readonly Item[],
  { text, phase, order }: View<Phase>,
  phases: readonly Phase[],
): readonly Item[] => {
  const wanted = text.trim().toLowerCase();
  const keysOf = ({ name, place, phase }: Item): readonly string[] => {
    if (order === 'name') return [name, place];
    return order === 'place' ? [place, name] : [String(phases.indexOf(phase)), place, name];
  };
  return items
    .filter((item) => phase === 'ALL' || item.phase === phase)
    .filter(({ name, place }) => `${name}\n${place}`.toLowerCase().includes(wanted))
    .toSorted((one, other) => {
      const others = keysOf(other);
      const differences = keysOf(one).map((key, index) => compare(key, others[index] ?? ''));
      return differences.find((difference) => difference !== 0) ?? 0;
    });
};

/** How many entries are in each phase. */
export const countPhases = (items: readonly Entry<string>[]): ReadonlyMap<string, number> =>
  items.reduce(
    (counts, { phase }) => counts.set(phase, (counts.get(phase) ?? 0) + 1),
    new Map<string, number>(),
  );

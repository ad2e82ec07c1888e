import { type ReactNode, useState } from 'react';
import { arrange, countPhases, type Entry, type View } from './arrange.ts';
import { Button } from './button.tsx';
import { Rest } from './rest.tsx';
import { Toolbar } from './toolbar.tsx';
import type { Look } from './words.ts';

interface EntriesProps<Phase extends string, Item> {
  readonly things: string;
  readonly place: string;
  /** In the order of their urgency. */
  readonly phases: readonly Phase[];
  readonly looks: Readonly<Record<Phase, Look>>;
  readonly items: readonly Item[];
  /** How many of the items are such things. */
  readonly total: number;
  readonly view: View<Phase>;
  readonly onView: (view: View<Phase>) => void;
  /** Whether some entries may be missing, so that an empty list does not mean that none exist. */
  readonly isPartial: boolean;
  readonly children: (item: Item) => ReactNode;
}

/** The number of rows that a user can scroll past on a phone. */
const mostAtFirst = 50;

/** A list that can be filtered and sorted. */
export const Entries = <
  Phase extends string,
  Item extends Entry<Phase> & { readonly nodeId: string },
>({
  things,
  place,
  phases,
  looks,
  items,
  total,
  view,
  onView,
  isPartial,
  children,
}: EntriesProps<Phase, Item>) => {
  const [all, setAll] = useState(false);
  if (items.length === 0) return isPartial ? null : <p className="empty">No {things} yet.</p>;
  const found = arrange(items, view, phases);
  const shown = all ? found : found.slice(0, mostAtFirst);
  const rest = found.length - shown.length;
  return (
    <>
      <Toolbar
        things={things}
        place={place}
        phases={phases}
        looks={looks}
        counts={countPhases(items)}
        total={total}
        view={view}
        onChange={onView}
      />
      {shown.length === 0 ? (
        <p className="empty">
          None of the {things} matches.{' '}
          <Button onClick={() => onView({ ...view, text: '', phase: 'ALL' })}>Show all</Button>
        </p>
      ) : (
        <>
          <ul className="rows">
            {shown.map((item) => (
              <li key={item.nodeId}>{children(item)}</li>
            ))}
          </ul>
          {rest > 0 && <Rest count={rest} onShow={() => setAll(true)} />}
        </>
      )}
    </>
  );
};

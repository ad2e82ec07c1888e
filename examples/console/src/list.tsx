import type { SluiceProblem } from '@sluice/client';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { Notice } from './notice.tsx';
import { type Path, problemsAt } from './problems.ts';

/** What the parts of a section need of the section's reading. */
export interface Place {
  /** Where in the data this part stands. */
  readonly path: Path;
  readonly problems: readonly SluiceProblem[];
  readonly retry: () => void;
}

interface ListProps<Item> {
  /** Null where it could not be read. */
  readonly items: readonly Item[] | null;
  /** The list's name, such as `pipes`: its key in the data and the word for it. */
  readonly name: string;
  readonly className?: string;
  /** The place of the object that the list belongs to. */
  readonly place: Place;
  readonly keyOf: (item: Item) => string;
  readonly children: (item: Item, place: Place) => ReactNode;
}

/** A list in each of its three states: what came, nothing there, or why it is missing. */
export const List = <Item,>({
  items,
  name,
  className,
  place,
  keyOf,
  children,
}: ListProps<Item>) => {
  const path = [...place.path, name];
  if (items === null) {
    return (
      <Notice
        sentence={`The ${name} could not be read.`}
        problems={problemsAt(place.problems, path)}
      >
        <Button onClick={place.retry}>
          Try again<span className="unseen"> to read the {name}</span>
        </Button>
      </Notice>
    );
  }
  if (items.length === 0) return <p className="empty">No {name} yet.</p>;
  return (
    <ul className={className}>
      {items.map((item, index) => (
        <li key={keyOf(item)}>{children(item, { ...place, path: [...path, index] })}</li>
      ))}
    </ul>
  );
};

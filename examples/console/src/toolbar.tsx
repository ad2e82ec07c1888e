import type { Order, View } from './arrange.ts';
import type { Look } from './words.ts';

interface ToolbarProps<Phase extends string> {
  /** Name of the listed things, such as `pipes`. */
  readonly things: string;
  /** Name of the things that they belong to, such as `service`. */
  readonly place: string;
  readonly phases: readonly Phase[];
  readonly looks: Readonly<Record<Phase, Look>>;
  readonly counts: ReadonlyMap<string, number>;
  readonly total: number;
  readonly view: View<Phase>;
  readonly onChange: (view: View<Phase>) => void;
}

const isOrder = (value: string): value is Order => ['place', 'phase', 'name'].includes(value);

/** The filter and the order of a list. */
export const Toolbar = <Phase extends string>({
  things,
  place,
  phases,
  looks,
  counts,
  total,
  view,
  onChange,
}: ToolbarProps<Phase>) => {
  const isShown = (phase: Phase): boolean => counts.has(phase) || phase === view.phase;
  return (
    <div className="toolbar">
      <input
        type="search"
        aria-label={`Filter ${things} by name or ${place}`}
        placeholder={`Name or ${place}`}
        value={view.text}
        onChange={({ target }) => onChange({ ...view, text: target.value })}
      />
      <select
        aria-label={`Show ${things}`}
        value={view.phase}
        onChange={({ target: { value } }) =>
          onChange({ ...view, phase: phases.find((phase) => phase === value) ?? 'ALL' })
        }
      >
        <option value="ALL">All ({total})</option>
        {phases.filter(isShown).map((phase) => (
          <option key={phase} value={phase}>
            {looks[phase].word} ({counts.get(phase) ?? 0})
          </option>
        ))}
      </select>
      <select
        aria-label={`Sort ${things}`}
        value={view.order}
        onChange={({ target: { value } }) => {
          if (isOrder(value)) onChange({ ...view, order: value });
        }}
      >
        <option value="place">By {place}</option>
        <option value="phase">By state</option>
        <option value="name">By name</option>
      </select>
    </div>
  );
};

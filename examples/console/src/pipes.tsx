import type { View } from './arrange.ts';
import { Entries } from './entries.tsx';
import { Half } from './half.tsx';
import { PipeRow } from './pipe-row.tsx';
import { Services } from './services.tsx';
import { UnreadRow } from './unread-row.tsx';
import type { Pipes } from './use-pipes.ts';
import { type RowPhase, rowLooks, rowPhases } from './words.ts';

interface PipesHalfProps {
  readonly pipes: Pipes;
  readonly view: View<RowPhase>;
  readonly onView: (view: View<RowPhase>) => void;
}

const nameOf = ({ name }: { readonly name: string | null }): string =>
  name ?? 'Unnamed organization';

/** The pipes of one organization; a user whose key sees several organizations chooses one. */
export const PipesHalf = ({ pipes, view, onView }: PipesHalfProps) => {
  const { live, entries, choose } = pipes;
  const { organizations = [], organization, services } = live.data ?? {};
  return (
    <Half
      title="Pipes"
      upstream="management"
      live={live}
      isKnown={Boolean(services)}
      aside={
        organization &&
        (organizations.length === 1 ? (
          <p className="aside">{nameOf(organization)}</p>
        ) : (
          <select
            aria-label="Organization"
            value={organization.id}
            onChange={({ target }) => choose(target.value)}
          >
            {organizations.map((each) => (
              <option key={each.id} value={each.id}>
                {nameOf(each)}
              </option>
            ))}
          </select>
        ))
      }
    >
      <Services entries={pipes.services} />
      <Entries
        things="pipes"
        place="service"
        phases={rowPhases}
        looks={rowLooks}
        items={entries}
        total={entries.filter(({ pipe }) => pipe).length}
        view={view}
        onView={onView}
        isPartial={!services || live.problems.length > 0}
      >
        {(entry) => (entry.pipe ? <PipeRow entry={entry} /> : <UnreadRow entry={entry} />)}
      </Entries>
    </Half>
  );
};

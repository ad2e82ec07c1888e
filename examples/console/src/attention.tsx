import { type ReactNode, useId, useState } from 'react';
import { Button } from './button.tsx';
import { type Concern, concernsOf, type Place } from './concerns.ts';
import { Filling } from './filling.tsx';
import { nothingRead } from './half.tsx';
import { Notice } from './notice.tsx';
import { isFailure } from './problems.ts';
import { Rest } from './rest.tsx';
import { useSession } from './session.ts';
import type { Alerts } from './use-alerts.ts';
import type { Live } from './use-live.ts';
import type { Pipes } from './use-pipes.ts';
import { useProgress } from './use-progress.ts';
import { useUpkeep } from './use-upkeep.ts';

/** Few enough to leave the lists on the screen. */
const mostAtFirst = 5;

interface ConcernsProps {
  readonly concerns: readonly Concern[];
  readonly onShow: (place: Place) => void;
}

const Concerns = ({ concerns, onShow }: ConcernsProps) => {
  const [all, setAll] = useState(false);
  const shown = all ? concerns : concerns.slice(0, mostAtFirst);
  return (
    <>
      <ul className="rows">
        {shown.map(({ id, name, about, look: { word, tone }, place }) => (
          <li key={id} className="concern">
            <span className="state" data-tone={tone}>
              {word}
            </span>
            <span className="facts">
              <strong>{name}</strong> <small>{about}</small>
            </span>
            {place && (
              <Button onClick={() => onShow(place)}>
                Show<span className="unseen"> {name}</span>
              </Button>
            )}
          </li>
        ))}
      </ul>
      {shown.length < concerns.length && (
        <Rest count={concerns.length - shown.length} onShow={() => setAll(true)} />
      )}
    </>
  );
};

const isReading = ({ condition, progress }: Live<unknown>): boolean =>
  condition === 'reading' || condition === 'lost' || progress !== undefined;

interface AttentionProps {
  readonly pipes: Pipes;
  readonly alerts: Alerts;
  /** Shown next to the title. */
  readonly aside: ReactNode;
  /** Called to show the row of a concern. */
  readonly onShow: (place: Place) => void;
}

/** All that needs attention: out of the streams of both halves, and out of keys, notifications and backups, which come later. */
export const Attention = ({ pipes, alerts, aside, onShow }: AttentionProps) => {
  const id = useId();
  const { access } = useSession();
  const { organization, services } = pipes.live.data ?? {};
  // The pipes need the rate limit first.
  const upkeep = useUpkeep(organization?.id, Boolean(services) && !pipes.live.progress);
  const { keys = [], notifications = [], backups = [] } = upkeep.data ?? {};
  const concerns = concernsOf(
    {
      ...{ pipes: pipes.entries, services: pipes.services, alerts: alerts.entries },
      ...{ keys, notifications, backups },
    },
    Date.now(),
  );
  const failures = upkeep.problems.filter(isFailure);
  const halves = [
    ...(access.management === 'given' ? [pipes.live] : []),
    ...(access.observability === 'given' ? [alerts.live] : []),
  ];
  const isPartial =
    halves.length < 2 ||
    [...halves, { problems: failures }].some(({ problems }) => problems.length > 0);
  const reading = useProgress(upkeep.isReading && failures.length === 0, {
    soon: '',
    late: 'Still reading API keys, notifications and backups…',
  });
  const soFar = upkeep.isReading || halves.some(isReading);
  const extent = isPartial ? ' in what could be read' : '';
  const nothing = `Nothing needs attention${soFar ? ' so far' : extent}.`;
  return (
    <section className="attention" aria-labelledby={id} tabIndex={-1}>
      <header>
        <h2 id={id}>Needs attention</h2>
        {aside}
      </header>
      {concerns.length > 0 ? (
        <Concerns concerns={concerns} onShow={onShow} />
      ) : (
        <p className="empty">{services || alerts.isKnown ? nothing : `${nothingRead}.`}</p>
      )}
      {reading && !upkeep.progress && (
        <p className="waiting" role="status">
          {reading}
        </p>
      )}
      {upkeep.progress && (
        <Filling
          of="API keys and backups"
          isLimited={upkeep.problems.length > failures.length}
          {...upkeep.progress}
        />
      )}
      <Notice problems={failures}>
        <Button onClick={upkeep.again}>
          Try again<span className="unseen"> to read keys and backups</span>
        </Button>
      </Notice>
    </section>
  );
};

import type { SluiceProblem } from '@sluice/client';
import { type ReactNode, useId, useRef } from 'react';
import { Button } from './button.tsx';
import type { Place } from './list.tsx';
import { Notice } from './notice.tsx';
import { type Upstream, useSession } from './session.ts';
import { useProgress } from './use-progress.ts';
import { type Read, type Reading, ReadingContext, useReading } from './use-reading.ts';

const time = new Intl.DateTimeFormat('en', { timeStyle: 'medium', hourCycle: 'h23' });

const credentialNames: Readonly<Record<Upstream, string>> = {
  management: 'the management key',
  observability: 'the observability token',
};

const verdictOf = (problems: readonly SluiceProblem[]): string => {
  if (problems.length === 0) return 'Read';
  return problems.some(({ path }) => path) ? 'Read in part' : 'Could not be read';
};

/** How the last read went. */
const describe = ({ problems, readAt, staleSeconds, readsAgainAt }: Reading<unknown>): string =>
  [
    `${verdictOf(problems)} at ${time.format(readAt)}`,
    ...(staleSeconds === undefined ? [] : [`as of ${staleSeconds} s earlier`]),
    ...(readsAgainAt ? [`reads again at ${time.format(readsAgainAt)}`] : []),
  ].join(', ');

interface SectionProps<Data> {
  readonly title: string;
  /** Whose credential the section needs. */
  readonly upstream: Upstream;
  readonly read: Read<Data>;
  readonly children: (data: Data, place: Place) => ReactNode;
}

const SignedOut = ({ title, upstream }: Pick<SectionProps<never>, 'title' | 'upstream'>) => {
  const { askAgain } = useSession();
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
      </header>
      <p className="empty">
        This half of the page needs {credentialNames[upstream]}.{' '}
        <Button onClick={() => askAgain(upstream)}>Enter it</Button>
      </p>
    </section>
  );
};

const SignedIn = <Data,>({ title, upstream, read, children }: SectionProps<Data>) => {
  const reading = useReading(read);
  const { data, problems, loading, refresh } = reading;
  const heading = useRef<HTMLHeadingElement>(null);
  const id = useId();
  const things = title.toLowerCase();
  const progress = useProgress(loading, upstream, {
    soon: `Reading ${things}…`,
    late: 'Still reading',
  });
  const retry = (): void => {
    refresh();
    // The button that was pressed goes away when the read succeeds.
    heading.current?.focus();
  };
  return (
    <section aria-labelledby={id}>
      <header>
        <h2 id={id} ref={heading} tabIndex={-1}>
          {title}
        </h2>
        <p role="status">{progress ?? describe(reading)}</p>
        <Button unavailable={loading} onClick={refresh}>
          Refresh<span className="unseen"> {things}</span>
        </Button>
      </header>
      <Notice problems={problems.filter(({ path }) => path === undefined)}>
        <Button onClick={retry}>Try again</Button>
      </Notice>
      {data && (
        <ReadingContext value={reading}>
          {children(data, { path: [], problems, retry })}
        </ReadingContext>
      )}
      {!data && loading && (
        <div className="skeleton" aria-hidden="true">
          <i />
          <i />
          <i />
        </div>
      )}
    </section>
  );
};

/** One half of the page: what was read, how the reading goes, or which credential it needs. */
export const Section = <Data,>(props: SectionProps<Data>) =>
  useSession().signedInTo[props.upstream] ? <SignedIn {...props} /> : <SignedOut {...props} />;

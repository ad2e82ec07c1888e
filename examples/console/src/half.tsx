import { type ReactNode, useId, useRef } from 'react';
import { Button } from './button.tsx';
import { faultOf, nameOf } from './credentials.ts';
import { Filling } from './filling.tsx';
import type { Upstream } from './login.ts';
import { Notice } from './notice.tsx';
import { isFailure } from './problems.ts';
import { useSession } from './session.ts';
import type { Live } from './use-live.ts';
import { useProgress } from './use-progress.ts';

/** In place of a list, or of how current it is. */
export const nothingRead = 'Nothing has been read yet';

const time = new Intl.DateTimeFormat('en', { timeStyle: 'medium', hourCycle: 'h23' });

interface FrameProps {
  readonly title: string;
  /** Shown next to the title. */
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}

const Frame = ({ title, aside, children }: FrameProps) => {
  const id = useId();
  return (
    <section id={title.toLowerCase()} aria-labelledby={id} tabIndex={-1}>
      <header>
        <h2 id={id}>{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  );
};

interface HalfProps {
  readonly title: string;
  /** The interface whose credential the half needs. */
  readonly upstream: Upstream;
  readonly live: Live<unknown>;
  /** Whether its list has been read, now or before. */
  readonly isKnown: boolean;
  /** Shown next to the title, once data has arrived. */
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}

const Signed = ({ title, upstream, live, isKnown, aside, children }: HalfProps) => {
  const { condition, isUnread, problems, changedAt, staleSince, progress, again } = live;
  const things = title.toLowerCase();
  // The stream later brings the parts that wait for a rate limit.
  const limited = problems.filter((problem) => !isFailure(problem)).length;
  // At first so many parts are missing that the gateway omits some of their errors.
  const others = problems.filter(
    (problem) => isFailure(problem) && !(progress && problem.limit === 'errors'),
  );
  const { gateway } = useSession();
  const rate = gateway?.rates[upstream];
  const reading = useProgress(condition === 'reading', {
    soon: `Reading ${things}…`,
    late: `Still reading ${things}…`,
  });
  const current = staleSince ? `Live, as of ${time.format(staleSince)}` : 'Live';
  const old = isKnown ? 'Not up to date' : nothingRead;
  const unread = others.length > 0 ? 'failed' : 'waiting';
  const shown = condition === 'live' && isUnread ? unread : condition;
  const words = {
    reading,
    live: progress ? 'Live, not complete yet' : current,
    lost: `${old}: connecting again…`,
    failed: old,
    waiting: old,
  };
  const status = useRef<HTMLParagraphElement>(null);
  const retry = (): void => {
    again();
    // The button disappears, so the focus moves to the status.
    status.current?.focus();
  };
  return (
    <Frame
      title={title}
      aside={
        <>
          <p
            ref={status}
            role="status"
            tabIndex={-1}
            className="condition"
            data-condition={shown}
            title={changedAt && `Last change at ${time.format(changedAt)}`}
          >
            {words[shown]}
          </p>
          {aside}
        </>
      }
    >
      {condition === 'live' && progress && <Filling {...progress} isLimited={limited > 0} />}
      {(condition === 'failed' || others.length > 0) && (
        <Notice problems={condition === 'failed' ? problems : others}>
          <Button onClick={retry}>
            Try again<span className="unseen"> to read {things}</span>
          </Button>
        </Notice>
      )}
      {condition !== 'failed' && !progress && limited > 0 && (
        <p className="waiting" role="status">
          {limited === 1 ? 'A part waits' : `${limited} parts wait`} for the rate limit
          {rate && ` of ${rate.calls} calls in ${rate.seconds} seconds`}, and will follow by itself.
        </p>
      )}
      {!isKnown && condition === 'reading' ? (
        <div className="skeleton" aria-hidden="true">
          <i />
          <i />
          <i />
        </div>
      ) : (
        children
      )}
    </Frame>
  );
};

/** One half of the page: its data and how current it is, or the credential that it needs. */
export const Half = (props: HalfProps) => {
  const { access, askFor } = useSession();
  const { title, upstream } = props;
  const allowed = access[upstream];
  if (allowed === 'given') return <Signed {...props} />;
  if (allowed === 'none') {
    return (
      <Frame title={title}>
        <p className="empty">
          {title} need the {nameOf[upstream]}.{' '}
          <Button onClick={() => askFor(upstream)}>Enter it</Button>
        </p>
      </Frame>
    );
  }
  return (
    <Frame title={title}>
      <Notice problems={[faultOf(upstream, allowed)]}>
        <Button onClick={() => askFor(upstream)}>Enter another</Button>
      </Notice>
    </Frame>
  );
};

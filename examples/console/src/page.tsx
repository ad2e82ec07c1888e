import { useState } from 'react';
import { flushSync } from 'react-dom';
import { AlertsHalf } from './alerts.tsx';
import type { View } from './arrange.ts';
import { Attention } from './attention.tsx';
import type { Place } from './concerns.ts';
import type { AlertPhase } from './generated/operations.ts';
import { PipesHalf } from './pipes.tsx';
import { Summary } from './summary.tsx';
import { useAlerts } from './use-alerts.ts';
import { usePipes } from './use-pipes.ts';
import type { RowPhase } from './words.ts';

const all = { text: '', phase: 'ALL', order: 'phase' } as const;

const takeFocus = (element: HTMLElement | null): void => element?.focus();

/** The page after signing in: what needs attention, and both lists. */
export const Page = () => {
  const pipes = usePipes();
  const alerts = useAlerts(pipes.live.data?.organization?.id);
  const [pipeView, setPipeView] = useState<View<RowPhase>>(all);
  const [alertView, setAlertView] = useState<View<AlertPhase>>(all);
  const show = ({ list, nodeId }: Place): void => {
    flushSync(() => {
      if (list === 'pipes') setPipeView(all);
      if (list === 'alerts') setAlertView(all);
    });
    const row = document.getElementById(nodeId);
    row?.closest('details')?.setAttribute('open', '');
    // A long list, or a filter of the services, may hide the row.
    (row ?? document.getElementById(list === 'alerts' ? 'alerts' : 'pipes'))?.focus();
  };
  return (
    <main tabIndex={-1} ref={takeFocus}>
      <Attention
        pipes={pipes}
        alerts={alerts}
        onShow={show}
        aside={
          <Summary
            pipes={pipes.live.data?.services && pipes.entries}
            morePipes={pipes.entries.some(
              ({ phase }) => phase === 'WAITING' || phase === 'UNREADABLE',
            )}
            alerts={alerts.isKnown ? alerts.entries : undefined}
            moreAlerts={alerts.isPartial}
            onPipes={() => setPipeView({ ...pipeView, text: '', phase: 'FAILED' })}
            onAlerts={() => setAlertView({ ...alertView, text: '', phase: 'FIRING' })}
          />
        }
      />
      <div className="halves">
        <PipesHalf pipes={pipes} view={pipeView} onView={setPipeView} />
        <AlertsHalf alerts={alerts} view={alertView} onView={setAlertView} />
      </div>
    </main>
  );
};

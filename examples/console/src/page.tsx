import { useState } from 'react';
import { AlertsHalf } from './alerts.tsx';
import type { View } from './arrange.ts';
import type { AlertPhase } from './generated/operations.ts';
import { PipesHalf } from './pipes.tsx';
import { Summary } from './summary.tsx';
import { useAlerts } from './use-alerts.ts';
import { usePipes } from './use-pipes.ts';
import type { RowPhase } from './words.ts';

const takeFocus = (element: HTMLElement | null): void => element?.focus();

/** The page after signing in: a summary, and both lists. */
export const Page = () => {
  const pipes = usePipes();
  const alerts = useAlerts();
  const [pipeView, setPipeView] = useState<View<RowPhase>>({
    text: '',
    phase: 'ALL',
    order: 'phase',
  });
  const [alertView, setAlertView] = useState<View<AlertPhase>>({
    text: '',
    phase: 'ALL',
    order: 'phase',
  });
  return (
    <main tabIndex={-1} ref={takeFocus}>
      <Summary
        pipes={pipes.live.data?.services && pipes.entries}
        soFar={pipes.live.progress !== undefined}
        alerts={alerts.live.data?.alerts && alerts.entries}
        onPipes={() => setPipeView({ ...pipeView, text: '', phase: 'FAILED' })}
        onAlerts={() => setAlertView({ ...alertView, text: '', phase: 'FIRING' })}
      />
      <div className="halves">
        <PipesHalf pipes={pipes} view={pipeView} onView={setPipeView} />
        <AlertsHalf alerts={alerts} view={alertView} onView={setAlertView} />
      </div>
    </main>
  );
};

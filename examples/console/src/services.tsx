import { useState } from 'react';
import { countPhases, type View } from './arrange.ts';
import { Entries } from './entries.tsx';
import type { ServicePhase } from './generated/operations.ts';
import { ServiceRow } from './service-row.tsx';
import { useSession } from './session.ts';
import type { ServiceEntry } from './use-pipes.ts';
import { serviceLooks, servicePhases } from './words.ts';

/** The services and their commands, behind a line that counts their states. Nothing if the gateway cannot change services. */
export const Services = ({ entries }: { readonly entries: readonly ServiceEntry[] }) => {
  const { gateway } = useSession();
  const [view, setView] = useState<View<ServicePhase>>({ text: '', phase: 'ALL', order: 'phase' });
  const canChange = gateway && !gateway.unavailableFields.includes('Mutation.startService');
  if (!canChange || entries.length === 0) return null;
  const counts = countPhases(entries);
  const words = servicePhases.flatMap((phase) => {
    const count = counts.get(phase);
    return count ? [`${count} ${serviceLooks[phase].word.toLowerCase()}`] : [];
  });
  return (
    <details className="services">
      <summary>Services: {words.join(', ')}</summary>
      <Entries
        things="services"
        place="region"
        phases={servicePhases}
        looks={serviceLooks}
        items={entries}
        total={entries.length}
        view={view}
        onView={setView}
        isPartial={false}
      >
        {(entry) => <ServiceRow entry={entry} />}
      </Entries>
    </details>
  );
};

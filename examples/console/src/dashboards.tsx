import { AlertRow } from './alert-row.tsx';
import { DashboardsDocument, type DashboardsQuery } from './generated/operations.ts';
import { List } from './list.tsx';
import { Notice } from './notice.tsx';
import { problemsAt } from './problems.ts';
import { Section } from './section.tsx';
import type { Read } from './use-reading.ts';

const read: Read<DashboardsQuery> = (client, signal) =>
  client.execute(DashboardsDocument, {}, { signal });

const nodeIdOf = ({ nodeId }: { readonly nodeId: string }): string => nodeId;

/** Dashboards, their tiles, and the alerts that watch these. */
export const Dashboards = () => (
  <Section title="Dashboards" upstream="observability" read={read}>
    {({ dashboards }, root) => (
      <List items={dashboards} name="dashboards" place={root} keyOf={nodeIdOf}>
        {(dashboard, place) => (
          <>
            <h3>{dashboard.name ?? 'Unnamed dashboard'}</h3>
            <Notice problems={problemsAt(place.problems, place.path, 'tiles')} />
            <List
              items={dashboard.tiles}
              name="tiles"
              className="cards"
              place={place}
              keyOf={({ id }) => id}
            >
              {(tile, place) => (
                <>
                  <h4>{tile.name ?? 'Unnamed tile'}</h4>
                  <Notice problems={problemsAt(place.problems, place.path, 'alerts')} />
                  <List
                    items={tile.alerts}
                    name="alerts"
                    className="rows"
                    place={place}
                    keyOf={nodeIdOf}
                  >
                    {(alert, { path, problems }) => (
                      <AlertRow alert={alert} problems={problemsAt(problems, path)} />
                    )}
                  </List>
                </>
              )}
            </List>
          </>
        )}
      </List>
    )}
  </Section>
);

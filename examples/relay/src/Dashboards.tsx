import { graphql, useLazyLoadQuery } from 'react-relay';
import type { DashboardsQuery } from './__generated__/DashboardsQuery.graphql.ts';
import { AlertRow } from './AlertRow.tsx';

/** All dashboards with their tiles, and the alerts that watch each. */
export const Dashboards = () => {
  const { dashboards } = useLazyLoadQuery<DashboardsQuery>(
    graphql`
      query DashboardsQuery {
        dashboards @catch(to: RESULT) {
          id
          name
          tiles {
            id
            name
            alerts {
              id
              ...AlertRow_alert
            }
          }
        }
      }
    `,
    {},
  );
  if (!dashboards.ok) return <p role="alert">The dashboards could not be read.</p>;
  return dashboards.value?.map((dashboard) => (
    <section key={dashboard.id}>
      <h2>{dashboard.name}</h2>
      {dashboard.tiles?.map((tile) => (
        <article key={tile.id}>
          <h3>{tile.name}</h3>
          <ul>
            {tile.alerts?.map((alert) => (
              <AlertRow key={alert.id} alert={alert} />
            ))}
          </ul>
        </article>
      ))}
    </section>
  ));
};

import { useQuery } from 'urql';
import { AlertRow } from './alert-row.tsx';
import { Failures } from './failures.tsx';
import { graphql } from './generated/index.ts';

const dashboardsQuery = graphql(`
  query Dashboards {
    dashboards {
      id
      name
      tiles {
        id
        name
        alerts {
          id
          ...AlertRow
        }
      }
    }
  }
`);

/** All dashboards with their tiles, and the alerts that watch each. */
export const Dashboards = () => {
  const [{ data, error, fetching }] = useQuery({ query: dashboardsQuery });
  if (fetching) return <p>Loading …</p>;
  return (
    <>
      <Failures error={error} />
      {data?.dashboards?.map((dashboard) => (
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
      ))}
    </>
  );
};

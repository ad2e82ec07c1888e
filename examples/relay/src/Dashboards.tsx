import { graphql, useLazyLoadQuery } from 'react-relay';
import type { DashboardsQuery } from './__generated__/DashboardsQuery.graphql.ts';
import { Failures, orNull } from './caught.tsx';
import { Dashboard } from './Dashboard.tsx';

interface DashboardsProps {
  /** Changing the number reads again. */
  readonly attempt: number;
}

/** All dashboards with their tiles, and the alerts that watch each. */
export const Dashboards = ({ attempt }: DashboardsProps) => {
  const { dashboards } = useLazyLoadQuery<DashboardsQuery>(
    graphql`
      query DashboardsQuery {
        dashboards @catch {
          id
          ...Dashboard_dashboard
        }
      }
    `,
    {},
    { fetchKey: attempt },
  );
  return (
    <>
      <Failures of={[dashboards]} />
      {orNull(dashboards)?.map((dashboard) => (
        <Dashboard key={dashboard.id} dashboard={dashboard} />
      ))}
    </>
  );
};

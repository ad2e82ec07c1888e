import { graphql, useFragment } from 'react-relay';
import type { Dashboard_dashboard$key } from './__generated__/Dashboard_dashboard.graphql.ts';
import { Failures, orNull } from './caught.tsx';
import { Tile } from './Tile.tsx';

interface DashboardProps {
  readonly dashboard: Dashboard_dashboard$key;
}

export const Dashboard = (props: DashboardProps) => {
  const { name, tiles } = useFragment(
    graphql`
      fragment Dashboard_dashboard on Dashboard {
        name @catch
        tiles @catch {
          id
          ...Tile_tile
        }
      }
    `,
    props.dashboard,
  );
  return (
    <section>
      <h2>{orNull(name)}</h2>
      <Failures of={[name, tiles]} />
      {orNull(tiles)?.map((tile) => (
        <Tile key={tile.id} tile={tile} />
      ))}
    </section>
  );
};

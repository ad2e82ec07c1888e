import { graphql, useFragment } from 'react-relay';
import type { Tile_tile$key } from './__generated__/Tile_tile.graphql.ts';
import { AlertRow } from './AlertRow.tsx';
import { Failures, orNull } from './caught.tsx';

interface TileProps {
  readonly tile: Tile_tile$key;
}

export const Tile = (props: TileProps) => {
  const { name, alerts } = useFragment(
    graphql`
      fragment Tile_tile on Tile {
        name @catch
        alerts @catch {
          id
          ...AlertRow_alert
        }
      }
    `,
    props.tile,
  );
  return (
    <article>
      <h3>{orNull(name)}</h3>
      <Failures of={[name, alerts]} />
      <ul>
        {orNull(alerts)?.map((alert) => (
          <AlertRow key={alert.id} alert={alert} />
        ))}
      </ul>
    </article>
  );
};

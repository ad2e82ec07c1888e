import { graphql, useFragment } from 'react-relay';
import type { Service_service$key } from './__generated__/Service_service.graphql.ts';
import { Boundary } from './boundary.tsx';
import { CreatePipe } from './CreatePipe.tsx';
import { Failures, orNull } from './caught.tsx';
import { PipeRow } from './PipeRow.tsx';

interface ServiceProps {
  readonly organizationId: string;
  readonly service: Service_service$key;
}

/** A service with its pipes. A pipe that cannot be read again does not affect the others. */
export const Service = (props: ServiceProps) => {
  const { id, name, createdAt, pipes } = useFragment(
    graphql`
      fragment Service_service on Service {
        id
        name @catch
        createdAt @catch
        pipes @catch {
          id
          ...PipeRow_pipe
        }
      }
    `,
    props.service,
  );
  const since = orNull(createdAt);
  return (
    <article>
      <h3>{orNull(name)}</h3>
      {since && <time dateTime={since}>{new Date(since).toLocaleDateString()}</time>}
      <Failures of={[name, createdAt, pipes]} />
      <ul>
        {orNull(pipes)?.map((pipe) => (
          <li key={pipe.id}>
            <Boundary>{() => <PipeRow pipe={pipe} />}</Boundary>
          </li>
        ))}
      </ul>
      <CreatePipe organizationId={props.organizationId} serviceId={id} />
    </article>
  );
};

import { graphql, useLazyLoadQuery } from 'react-relay';
import type { OrganizationsQuery } from './__generated__/OrganizationsQuery.graphql.ts';
import { CreatePipe } from './CreatePipe.tsx';
import { PipeRow } from './PipeRow.tsx';

/** All organizations with their services, and the pipes of each with their state. */
export const Organizations = () => {
  const { organizations } = useLazyLoadQuery<OrganizationsQuery>(
    graphql`
      query OrganizationsQuery {
        organizations @catch(to: RESULT) {
          id
          name
          services {
            id
            name
            createdAt
            pipes {
              id
              ...PipeRow_pipe
            }
          }
        }
      }
    `,
    {},
  );
  if (!organizations.ok) return <p role="alert">The organizations could not be read.</p>;
  return organizations.value?.map((organization) => (
    <section key={organization.id}>
      <h2>{organization.name}</h2>
      {organization.services?.map((service) => (
        <article key={service.id}>
          <h3>{service.name}</h3>
          {service.createdAt && (
            <time dateTime={service.createdAt}>
              {new Date(service.createdAt).toLocaleDateString()}
            </time>
          )}
          <ul>
            {service.pipes?.map((pipe) => (
              <PipeRow key={pipe.id} pipe={pipe} />
            ))}
          </ul>
          <CreatePipe organizationId={organization.id} serviceId={service.id} />
        </article>
      ))}
    </section>
  ));
};

import { useSubscription } from 'urql';
import { CreatePipe } from './create-pipe.tsx';
import { Failures } from './failures.tsx';
import { graphql } from './generated/index.ts';
import { PipeRow } from './pipe-row.tsx';

// One subscription for all pipes, since a browser opens only six HTTP/1.1 connections to an origin.
const organizationSubscription = graphql(`
  subscription Organization($id: ID!) {
    organization(organizationId: $id) {
      name
      services {
        id
        name
        createdAt
        pipes {
          id
          ...PipeRow
        }
      }
    }
  }
`);

/** An organization, kept up to date. Its first event is what a query would answer. */
export const Organization = ({ id }: { readonly id: string }) => {
  // `fetching` is also true after a subscription has ended for good.
  const [{ data, error }] = useSubscription({ query: organizationSubscription, variables: { id } });
  if (!data && !error) return <p>Loading …</p>;
  return (
    <section>
      <h2>{data?.organization?.name}</h2>
      <Failures error={error} />
      {data?.organization?.services?.map((service) => (
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
          <CreatePipe organizationId={id} serviceId={service.id} />
        </article>
      ))}
    </section>
  );
};

import { useQuery } from 'urql';
import { CreatePipe } from './create-pipe.tsx';
import { Failures } from './failures.tsx';
import { graphql } from './generated/index.ts';
import { PipeRow } from './pipe-row.tsx';

const organizationsQuery = graphql(`
  query Organizations($filter: PipeFilter) {
    organizations {
      id
      name
      services {
        id
        name
        createdAt
        pipes(filter: $filter) {
          id
          ...PipeRow
        }
      }
    }
  }
`);

// urql's cache repeats a query after a mutation that returns a type of its answer. A service without pipes has no pipe in
// its answer, but its first one must show too.
const context = { additionalTypenames: ['Pipe'] };

interface OrganizationsProps {
  /** Only pipes whose name contains this text. */
  readonly nameContains?: string;
}

/** All organizations with their services, and the pipes of each with their state. */
export const Organizations = ({ nameContains }: OrganizationsProps) => {
  const [{ data, error, fetching }] = useQuery({
    query: organizationsQuery,
    variables: nameContains ? { filter: { nameContains } } : {},
    context,
  });
  if (fetching) return <p>Loading …</p>;
  return (
    <>
      <Failures error={error} />
      {data?.organizations?.map((organization) => (
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
      ))}
    </>
  );
};

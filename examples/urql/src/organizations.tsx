import { useQuery } from 'urql';
import { Failures } from './failures.tsx';
import { graphql } from './generated/index.ts';
import { Organization } from './organization.tsx';

const organizationsQuery = graphql(`
  query Organizations {
    organizations {
      id
    }
  }
`);

/** All organizations with their services, and the pipes of each with their state. */
export const Organizations = () => {
  const [{ data, error, fetching }] = useQuery({ query: organizationsQuery });
  if (fetching) return <p>Loading …</p>;
  return (
    <>
      <Failures error={error} />
      {data?.organizations?.map(({ id }) => (
        <Organization key={id} id={id} />
      ))}
    </>
  );
};

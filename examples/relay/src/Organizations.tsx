import { graphql, useLazyLoadQuery } from 'react-relay';
import type { OrganizationsQuery } from './__generated__/OrganizationsQuery.graphql.ts';
import { Failures, orNull } from './caught.tsx';
import { Organization } from './Organization.tsx';

interface OrganizationsProps {
  /** Changing the number reads again. */
  readonly attempt: number;
}

/** All organizations with their services, and the pipes of each with their state. */
export const Organizations = ({ attempt }: OrganizationsProps) => {
  const { organizations } = useLazyLoadQuery<OrganizationsQuery>(
    graphql`
      query OrganizationsQuery {
        organizations @catch {
          id
          ...Organization_organization
        }
      }
    `,
    {},
    { fetchKey: attempt },
  );
  return (
    <>
      <Failures of={[organizations]} />
      {orNull(organizations)?.map((organization) => (
        <Organization key={organization.id} organization={organization} />
      ))}
    </>
  );
};

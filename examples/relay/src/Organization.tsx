import { graphql, useFragment } from 'react-relay';
import type { Organization_organization$key } from './__generated__/Organization_organization.graphql.ts';
import { Failures, orNull } from './caught.tsx';
import { Service } from './Service.tsx';

interface OrganizationProps {
  readonly organization: Organization_organization$key;
}

export const Organization = (props: OrganizationProps) => {
  const { id, name, services } = useFragment(
    graphql`
      fragment Organization_organization on Organization {
        id
        name @catch
        services @catch {
          id
          ...Service_service
        }
      }
    `,
    props.organization,
  );
  return (
    <section>
      <h2>{orNull(name)}</h2>
      <Failures of={[name, services]} />
      {orNull(services)?.map((service) => (
        <Service key={service.id} organizationId={id} service={service} />
      ))}
    </section>
  );
};

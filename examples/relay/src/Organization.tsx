import { useMemo, useState } from 'react';
import { graphql, useFragment, useSubscription } from 'react-relay';
import type { GraphQLSubscriptionConfig } from 'relay-runtime';
import type { Organization_organization$key } from './__generated__/Organization_organization.graphql.ts';
import type { OrganizationSubscription } from './__generated__/OrganizationSubscription.graphql.ts';
import { Failures, orNull } from './caught.tsx';
import { Service } from './Service.tsx';

interface OrganizationProps {
  readonly organization: Organization_organization$key;
}

/** An organization, kept up to date. One subscription for all pipes: a browser opens six HTTP/1.1 connections to an origin. */
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
  const [failure, setFailure] = useState<string>();
  const config = useMemo<GraphQLSubscriptionConfig<OrganizationSubscription>>(
    () => ({
      subscription: graphql`
        subscription OrganizationSubscription($id: ID!) {
          organization(organizationId: $id) {
            ...Organization_organization
          }
        }
      `,
      variables: { id },
      onError: ({ message }) => setFailure(message),
    }),
    [id],
  );
  useSubscription(config);
  return (
    <section>
      <h2>{orNull(name)}</h2>
      <Failures of={[name, services]} />
      {failure && <p role="alert">{failure}</p>}
      {orNull(services)?.map((service) => (
        <Service key={service.id} organizationId={id} service={service} />
      ))}
    </section>
  );
};

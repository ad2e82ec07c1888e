import { get, type Identified } from '../../operation.ts';
import { inCloud } from '../row-parts.ts';

export type ReversePrivateEndpointRecord = Identified<{
  description: string;
  status: string;
  type: string;
  endpointId: string;
  dnsNames: readonly string[];
  privateDnsNames: readonly string[];
  vpcEndpointServiceName: string;
  vpcResourceConfigurationId: string;
  vpcResourceShareArn: string;
  mskClusterArn: string;
  mskAuthentication: string;
  gcpServiceAttachment: string;
}>;

export const rows = {
  listReversePrivateEndpoints: inCloud(
    get(
      '/v1/organizations/{organizationId}/services/{serviceId}/clickpipesReversePrivateEndpoints',
      {
        permission: 'control-plane:service:manage-clickpipes',
        freshSeconds: 10,
      },
    ).list<ReversePrivateEndpointRecord>(),
  ),
};

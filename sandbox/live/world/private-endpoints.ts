import { world } from '../../world/ids.ts';

const { services } = world.management.main;

const toCluster = (cluster: string) => ({
  type: 'MSK_MULTI_VPC',
  mskClusterArn: `arn:aws:kafka:eu-central-1:000000000000:cluster/${cluster}`,
  mskAuthentication: 'SASL_IAM',
});

/** The private connections of the pipes of a service, by the identifier of the service. */
export const livePrivateEndpoints: Readonly<Record<string, readonly object[]>> = {
  [services.production]: [
    {
      id: 'rpe-0d1f3b5a7c9e',
      description: 'Brokers of the shop',
      status: 'Ready',
      endpointId: 'vpce-0d1f3b5a7c9e',
      dnsNames: ['vpce-0d1f3b5a7c9e.kafka.northwind.example'],
      ...toCluster('shop'),
    },
  ],
  [services.staging]: [
    {
      id: 'rpe-2e4a6c8e0b1d',
      description: 'Brokers of staging',
      status: 'PendingAcceptance',
      endpointId: 'vpce-2e4a6c8e0b1d',
      dnsNames: [],
      ...toCluster('staging'),
    },
  ],
};

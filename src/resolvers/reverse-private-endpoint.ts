import type { KafkaSourceResolvers, ServiceResolvers } from '../generated/schema.ts';
import { asList } from './values.ts';

export const Service: ServiceResolvers = {
  reversePrivateEndpoints: ({ organizationId, id }, _, { upstream }) =>
    upstream.management.listReversePrivateEndpoints({ organizationId, serviceId: id }),
};

export const KafkaSource: KafkaSourceResolvers = {
  reversePrivateEndpoints: async ({ reversePrivateEndpointIds, service }, _, { upstream }) => {
    const ids = asList(reversePrivateEndpointIds);
    if (!ids) return null;
    if (ids.length === 0) return [];
    const all = await upstream.management.listReversePrivateEndpoints(service);
    const named = new Set(ids.map((id) => String(id).toLowerCase()));
    return all.filter(({ id }) => named.has(id.toLowerCase()));
  },
};

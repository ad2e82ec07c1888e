import type { GatewayResolvers, QueryResolvers } from '../generated/schema.ts';
import type { Rate } from '../upstream/gate/slots.ts';
import { version } from '../version.ts';
import type { RootsOf } from './values.ts';

const inSeconds = (rate: Rate | undefined) =>
  rate && { calls: rate.calls, seconds: rate.windowMs / 1000 };

export const Query: RootsOf<QueryResolvers, 'gateway'> = {
  gateway: () => ({ version }),
};

export const Gateway: GatewayResolvers = {
  unavailableFields: (_, __, { unavailableFields }) => unavailableFields,
  alertIntervals: (_, __, { upstream }) => upstream.observability.profile.alertIntervals ?? null,
  rates: (_, __, { upstream: { management, observability } }) => ({
    management: inSeconds(management.rate),
    observability: inSeconds(observability.rate),
  }),
};

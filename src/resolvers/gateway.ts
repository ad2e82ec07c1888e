import { type GraphQLSchema, isObjectType, Kind } from 'graphql';
import type { GatewayResolvers, QueryResolvers } from '../generated/schema.ts';
import type { Rate } from '../upstream/gate/slots.ts';
import { version } from '../version.ts';
import type { RootsOf } from './values.ts';

/** The coordinates of the fields whose `@needs` in the SDL names one of the operations. */
const fieldsThatNeed = (operations: ReadonlySet<string>, schema: GraphQLSchema): string[] => {
  const types = Object.values(schema.getTypeMap()).filter(isObjectType);
  return types.flatMap((type) =>
    Object.values(type.getFields())
      .filter(({ astNode }) => {
        const needs = astNode?.directives?.find(({ name }) => name.value === 'needs');
        const [operation] = needs?.arguments ?? [];
        return operation?.value.kind === Kind.STRING && operations.has(operation.value.value);
      })
      .map(({ name }) => `${type.name}.${name}`),
  );
};

const inSeconds = (rate: Rate | undefined) =>
  rate && { calls: rate.calls, seconds: rate.windowMs / 1000 };

export const Query: RootsOf<QueryResolvers, 'gateway'> = {
  gateway: () => ({ version }),
};

export const Gateway: GatewayResolvers = {
  unavailableFields: (_, __, { upstream: { management, observability } }, { schema }) =>
    fieldsThatNeed(new Set([...management.unavailable, ...observability.unavailable]), schema),
  alertIntervals: (_, __, { upstream }) => upstream.observability.profile.alertIntervals ?? null,
  rates: (_, __, { upstream: { management, observability } }) => ({
    management: inSeconds(management.rate),
    observability: inSeconds(observability.rate),
  }),
};

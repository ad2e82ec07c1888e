import { expectTypeOf, it } from 'vitest';
import type { AlertResolvers, QueryResolvers } from '../../src/generated/schema.ts';
import { mutation } from '../../src/resolvers/mutation.ts';
import type { Upstream } from '../../src/upstream/index.ts';
import { patch } from '../../src/upstream/operation.ts';

// `npm test` checks the types of this file: an expected error that does not come is an error.

const organizationId = '0a9a0000-0000-4000-8000-000000000001';
const serviceId = '5e4c0000-0000-4000-8000-000000000001';
const spread = { ...{ numReplica: 3 }, idleScaling: true };

it('does not compile what no row, no schema and no record has', () => {
  const calls = ({ management, observability }: Upstream) => [
    // @ts-expect-error serviceId is missing
    management.listPipes({ organizationId }),
    // @ts-expect-error the body is missing
    management.updateServiceScaling({ organizationId, serviceId }),
    // @ts-expect-error numReplica is misspelt
    management.updateServiceScaling({ organizationId, serviceId }, { numReplica: 3 }),
    // @ts-expect-error nor is it let through in an object made by spreading
    management.updateServiceScaling({ organizationId, serviceId }, spread),
    // @ts-expect-error an unknown state command
    management.updatePipeState({ organizationId, serviceId, pipeId: serviceId }, 'pause'),
    // @ts-expect-error no such operation
    observability.listTiles(),
    // @ts-expect-error a body has to be declared before the result
    patch('/v1/things/{id}', { changes: [] }).one<object>(),
    // @ts-expect-error apiKy is misspelt
    mutation<'createApiKey'>(async () => ({ apiKy: null })),
  ];
  // @ts-expect-error every root field is missing
  const query: Required<QueryResolvers> = {};
  const alert: AlertResolvers = {
    teamId: ({ team }) => team,
    // @ts-expect-error misspelt
    savedSearchId: ({ savedSaerch }) => savedSaerch,
    // @ts-expect-error a number
    dashboardId: ({ threshold }) => threshold,
  };
  expectTypeOf([calls, query, alert]).toBeArray();
});

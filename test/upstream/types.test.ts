import { expectTypeOf, it } from 'vitest';
import type {
  AlertResolvers,
  MutationResolvers,
  QueryResolvers,
} from '../../src/generated/schema.ts';
import { mutation } from '../../src/resolvers/mutation.ts';
import type { Upstream } from '../../src/upstream/index.ts';
import type { PipeWithIds } from '../../src/upstream/management/operations.ts';
import { get, patch } from '../../src/upstream/operation.ts';

// `npm test` checks the types of this file: an expected error that does not come is an error.

const organizationId = '0a9a0000-0000-4000-8000-000000000001';
const serviceId = '5e4c0000-0000-4000-8000-000000000001';

const spread = { ...{ numReplica: 3 }, idleScaling: true };

it('derives a method from each row: its identifiers, its body and its result', () => {
  type Management = Upstream['management'];
  expectTypeOf<Parameters<Management['listPipes']>>().toEqualTypeOf<
    [identifiers: { readonly organizationId: string; readonly serviceId: string }]
  >();
  expectTypeOf<Parameters<Management['listOrganizations']>>().toEqualTypeOf<[]>();
  expectTypeOf<Parameters<Upstream['observability']['createDashboard']>>().toHaveProperty('length');
  expectTypeOf<ReturnType<Management['listPipes']>>().resolves.toEqualTypeOf<
    readonly PipeWithIds[]
  >();
});

it('does not compile a missing identifier, a misspelt body member or an unknown operation', () => {
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
    management.holds('getService', { organizationId, serviceId }),
    // @ts-expect-error a write cannot be held
    management.holds('createPipe', { organizationId, serviceId }),
    // @ts-expect-error the same
    management.read('createPipe', { organizationId, serviceId }),
    management.fresh('getService', { organizationId, serviceId }),
  ];
  expectTypeOf(calls).toBeFunction();
});

it('does not compile a root field without a resolver', () => {
  // @ts-expect-error every root field is missing
  const query: Required<QueryResolvers> = {};
  // @ts-expect-error every root field is missing
  const mutation: Required<MutationResolvers> = {};
  expectTypeOf([query, mutation]).toBeArray();
});

it('does not compile a resolver of a member that the parent does not have, or has as something else', () => {
  const fine: AlertResolvers = {
    teamId: ({ team }) => team,
    savedSearchId: ({ savedSearch }) => savedSearch,
  };
  const wrong: AlertResolvers = {
    teamId: ({ team }) => team,
    // @ts-expect-error misspelt
    savedSearchId: ({ savedSaerch }) => savedSaerch,
    // @ts-expect-error a number
    dashboardId: ({ threshold }) => threshold,
  };
  expectTypeOf([fine, wrong]).toBeArray();
});

it('does not compile a row without a result', () => {
  // @ts-expect-error a body has to be declared before the result
  expectTypeOf(() => patch('/v1/things/{id}', { changes: [] }).one<PipeWithIds>()).toBeFunction();
  expectTypeOf(
    get('/v1/things/{id}', { freshSeconds: 1 }).one<PipeWithIds>().path,
  ).toEqualTypeOf<'/v1/things/{id}'>();
});

it('does not compile a payload with a misspelt member', () => {
  // @ts-expect-error apiKy is misspelt
  expectTypeOf(mutation<'createApiKey'>(async () => ({ apiKy: null }))).toBeFunction();
});

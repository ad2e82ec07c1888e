import type { Context } from '../request/context.ts';
import { type Problem, UpstreamError } from '../upstream/error.ts';
import { serviceIdentifiers } from '../upstream/interface.ts';
import { type InStack, type ServiceIds, stack } from '../upstream/observability/clickstack.ts';
import { checkIdentifier, uuid } from '../upstream/path.ts';
import type { Ids } from '../upstream/row.ts';

/*
 * With some profiles, observability is below the services of management: each service may have a ClickStack. All that
 * decides which one is meant is here.
 */

type Observability = Context['upstream']['observability'];

/** The arguments of a root field, or the input of a mutation. */
interface Given {
  readonly service?: ServiceIds | null | undefined;
}

/** The operation of a field, and whether it is a write. */
interface For {
  readonly operation: string;
  readonly write?: boolean;
}

const refused = ({ operation, write = false }: For, problems: readonly Problem[]): UpstreamError =>
  new UpstreamError({
    ...{ upstream: 'observability', operation, write, reason: 'invalid-request' },
    problems,
  });

const problem = (message: string): readonly Problem[] => [{ field: ['service'], message }];

/** The faults of the identifiers, each with its place in the input. */
const problemsIn = (service: ServiceIds): readonly Problem[] =>
  serviceIdentifiers.flatMap((name) => {
    const found = checkIdentifier(name, service[name], uuid);
    return found ? [{ ...found, field: ['service', name] }] : [];
  });

/**
 * The identifiers of the given service, else of the default. Throws if a service is given, but observability is not
 * below services.
 */
export const serviceOf = ({ service }: Given, context: Context, of: For): Ids => {
  const { profile, below } = context.upstream.observability;
  if (below.length === 0) {
    if (!service) return {};
    const message = `service must not be given: with the profile ${profile.name} of this gateway, observability is not below a service.`;
    throw refused(of, problem(message));
  }
  if (service) {
    const problems = problemsIn(service);
    if (problems.length > 0) throw refused(of, problems);
    return { ...service };
  }
  if (of.write && !context.clickstackService) {
    const message =
      'service must be given: it says in whose ClickStack the object is. This gateway has no default (CLICKSTACK_SERVICE).';
    throw refused(of, problem(message));
  }
  return { ...context.clickstackService };
};

/** The client for the service that is given, else for the default. */
export const givenIn = (given: Given, context: Context, of: For): Observability =>
  context.upstream.observability.within(serviceOf(given, context, of));

/** The client for a new object. A default would decide in silence where it is created, so the service must be given. */
export const newIn = (given: Given, context: Context, operation: string): Observability => {
  const of = { operation, write: true };
  if (context.upstream.observability.below.length > 0 && !given.service) {
    throw refused(of, problem('service must be given: it says in whose ClickStack to create.'));
  }
  return givenIn(given, context, of);
};

/** The client for all that is in the ClickStack of an object. */
export const beside = (object: InStack, { upstream }: Context): Observability =>
  object[stack] ? upstream.observability.within({ ...object[stack] }) : upstream.observability;

/** The error of a field that leads from one interface to the other, with a profile where neither is below the other. */
export const apart = ({ upstream }: Context, operation: string): UpstreamError =>
  new UpstreamError({
    ...{ upstream: 'observability', operation, write: false },
    ...{ reason: 'apart', detail: upstream.observability.profile.name },
  });

/** The client for the ClickStack of a service. */
export const stackOf = (
  service: ServiceIds,
  context: Context,
  operation: string,
): Observability => {
  const { observability } = context.upstream;
  if (observability.below.length === 0) throw apart(context, operation);
  return observability.within({ ...service });
};

/** The part of a nodeId that names the service of an object. */
export const pathOf = (service: ServiceIds | undefined): readonly string[] =>
  service ? [service.organizationId, service.serviceId] : [];

import { toUnread } from '../errors/errors.ts';
import type {
  InputMaybe,
  OrganizationPipesArgs,
  PipeFilter,
  ResolversTypes,
} from '../generated/schema.ts';
import type { OrganizationIds } from '../loaders/index.ts';
import type { Context } from '../request/context.ts';
import { UpstreamError } from '../upstream/error.ts';
import type { PipeMapper, ServiceMapper } from './mappers.ts';
import { pipesInOrder, pipesOf } from './pipe.ts';

type UnreadService = Awaited<ResolversTypes['UnreadService']>;

/** The pipes of a service, or the reason why they could not be read. */
const readPipes = async (
  { organizationId, id }: ServiceMapper,
  filter: InputMaybe<PipeFilter>,
  context: Context,
): Promise<readonly PipeMapper[] | UpstreamError> => {
  try {
    return await pipesOf({ organizationId, serviceId: id }, filter, context);
  } catch (error) {
    if (!(error instanceof UpstreamError && toUnread(error))) throw error;
    context.unread.push(error);
    return error;
  }
};

/**
 * The pipes of all services of an organization. A service whose pipes cannot be read does not affect the others. The reads
 * are those of `Service.pipes`, so both fields share them.
 */
export const pipesOfAll = async (
  organization: OrganizationIds,
  { filter, orderBy }: OrganizationPipesArgs,
  context: Context,
) => {
  const services = await context.loaders.services(organization);
  const read = await Promise.all(services.map((service) => readPipes(service, filter, context)));
  const items = read.flatMap((each) => (each instanceof UpstreamError ? [] : each));
  // Only now, since an error computes its remaining seconds when it is described.
  const unreadServices = services.flatMap((service, index): UnreadService[] => {
    const error = read[index];
    const unread = error instanceof UpstreamError && toUnread(error);
    return unread ? [{ ...unread, service }] : [];
  });
  return { items: pipesInOrder(items, orderBy), totalCount: items.length, unreadServices };
};

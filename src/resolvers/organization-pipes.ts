import { toUnread } from '../errors/errors.ts';
import type { OrganizationPipesArgs, ResolversTypes } from '../generated/schema.ts';
import type { Context } from '../request/context.ts';
import { UpstreamError } from '../upstream/error.ts';
import { isTurnOver } from '../yield.ts';
import type { OrganizationIds } from './entities.ts';
import type { PipeMapper, ServiceMapper } from './mappers.ts';
import { selectPipes } from './pipe.ts';

type UnreadService = Awaited<ResolversTypes['UnreadService']>;

/** The pipes of a service, or the reason why they could not be read. */
const readPipes = async (
  { organizationId, id }: ServiceMapper,
  context: Context,
): Promise<readonly PipeMapper[] | UpstreamError> => {
  try {
    return await context.upstream.management.listPipes({ organizationId, serviceId: id });
  } catch (error) {
    if (!(error instanceof UpstreamError && toUnread(error))) throw error;
    context.unread.push(error);
    return error;
  }
};

type Read = Awaited<ReturnType<typeof readPipes>>;

/** Reads the pipes of all services. Other requests are served in between. */
const readAll = async (
  services: readonly ServiceMapper[],
  context: Context,
): Promise<readonly Read[]> => {
  const reads: Promise<Read>[] = [];
  for (const service of services) {
    if (isTurnOver()) await context.turns.giveWay();
    const reading = readPipes(service, context);
    // Avoids an unhandled rejection if this read fails before `Promise.all` below is called.
    reading.catch(() => undefined);
    reads.push(reading);
  }
  return Promise.all(reads);
};

type Lists = readonly (readonly PipeMapper[])[];

/** The last joined list of each request. Fields with the same lists get the same array, and share what is computed from it. */
const last = new WeakMap<Context, { readonly lists: Lists; readonly whole: Lists[number] }>();

const joined = (lists: Lists, context: Context): Lists[number] => {
  const known = last.get(context);
  const isSame =
    known?.lists.length === lists.length && lists.every((list, at) => list === known.lists[at]);
  if (known && isSame) return known.whole;
  const whole = lists.flat();
  last.set(context, { lists, whole });
  return whole;
};

/**
 * The pipes of all services of an organization. A service whose pipes cannot be read does not affect the others. The reads
 * are those of `Service.pipes`, so both fields share them.
 */
export const pipesOfAll = async (
  organization: OrganizationIds,
  args: OrganizationPipesArgs,
  context: Context,
) => {
  const services = await context.upstream.management.listServices(organization);
  const read = await readAll(services, context);
  const lists = read.flatMap((each) => (each instanceof UpstreamError ? [] : [each]));
  const items = await selectPipes(joined(lists, context), args, context);
  // After all reads have ended, since an error's remaining seconds are computed when it is described.
  const unreadServices = services.flatMap((service, index): UnreadService[] => {
    const error = read[index];
    const unread = error instanceof UpstreamError && toUnread(error);
    return unread ? [{ ...unread, service }] : [];
  });
  return { items, totalCount: items.length, unreadServices };
};

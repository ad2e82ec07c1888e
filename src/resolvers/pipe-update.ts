import { type Refusal, toRefusals } from '../errors/errors.ts';
import type { InputMaybe, MutationResolvers, PipeSettingsInput } from '../generated/schema.ts';
import type { Context } from '../request/context.ts';
import { mayBeCarriedOut, UpstreamError } from '../upstream/error.ts';
import type { PipeSettingsRecord } from '../upstream/management/rows/pipe-settings.ts';
import type { PipeIds } from './entities.ts';
import { update } from './mutation.ts';
import { ofPart } from './part.ts';
import { toWireSettings } from './pipe-settings.ts';
import { toWireSource } from './pipe-source-input.ts';

/**
 * Converts an input to the body of the call: `validateSamples` moves into `source`, and settings get their wire names.
 * Absent members stay absent, and null stays null.
 */
export const toWirePipe = <Source extends object, Rest extends object>({
  source,
  validateSamples,
  settings,
  ...rest
}: Rest & {
  readonly source?: Source | null | undefined;
  readonly validateSamples?: boolean | null | undefined;
  readonly settings?: Parameters<typeof toWireSettings>[0] | null | undefined;
}) => ({
  ...rest,
  ...(source !== undefined && validateSamples === undefined && { source }),
  ...(validateSamples !== undefined && { source: { ...source, validateSamples } }),
  ...(settings !== undefined && { settings: settings && toWireSettings(settings) }),
});

type Management = Context['upstream']['management'];

/** The settings, if this service has a separate path for them; undefined if they are part of the pipe's body. */
const ownSettings = (
  management: Management,
  settings: InputMaybe<PipeSettingsInput>,
): PipeSettingsRecord | undefined =>
  settings && management.isInProfile('replacePipeSettings') ? toWireSettings(settings) : undefined;

/** Merges new settings into the current ones, because a write replaces all settings. Resolves to the new settings. */
const mergeSettings = async (
  management: Management,
  ids: PipeIds,
  settings: PipeSettingsRecord,
  plan: Context['plan'],
): Promise<PipeSettingsRecord> => {
  const read: PipeSettingsRecord = await management.fresh('getPipeSettings', ids);
  plan?.comparesWith(read);
  // Unset settings are read as null, and some may not be sent for every kind of pipe.
  const set = Object.fromEntries(Object.entries(read).filter(([, value]) => value !== null));
  const sent: PipeSettingsRecord = { ...set, ...settings };
  return { ...sent, ...(await management.replacePipeSettings(ids, sent)) };
};

/** Changes the settings of a pipe; some pipes have none. */
const changeSettings = (
  merged: Promise<PipeSettingsRecord>,
  find: () => Promise<unknown>,
): Promise<PipeSettingsRecord> => ofPart(merged, { name: 'settings', field: ['settings'] }, find);

/** Adds the outcome of the mutation's other call to an error's message. */
const withOthers = (error: unknown, others: string): unknown =>
  error instanceof UpstreamError ? new UpstreamError({ ...error.failure, others }) : error;

const isUncertain = (error: unknown): boolean =>
  error instanceof UpstreamError && mayBeCarriedOut(error.failure);

/**
 * Changes a pipe. If settings have a separate path, they are changed by a second write. If that fails, the mutation's error
 * says that the first write was carried out.
 */
export const updatePipe: Required<MutationResolvers>['updatePipe'] = update<'updatePipe'>(
  async ({ organizationId, serviceId, pipeId, ...input }, { upstream: { management }, plan }) => {
    const ids = { organizationId, serviceId, pipeId };
    const find = () => management.fresh('getPipe', ids);
    const own = ownSettings(management, input.settings);
    const { settings: _, ...others } = input;
    const body = toWirePipe({ ...(own ? others : input), source: toWireSource(input.source) });
    const patch = async () => {
      plan?.comparesWith(await find());
      return { ...(await management.updatePipe(ids, body)), id: pipeId };
    };
    if (!own || Object.keys(own).length === 0) return { pipe: await patch() };

    if (Object.keys(body).length === 0) {
      const settings = await changeSettings(mergeSettings(management, ids, own, plan), find);
      return { pipe: { organizationId, serviceId, id: pipeId, settings } };
    }
    const pipe = await patch().catch((error: unknown) => {
      throw isUncertain(error) ? withOthers(error, 'The settings were not changed.') : error;
    });
    try {
      return {
        pipe: {
          ...pipe,
          settings: await changeSettings(
            mergeSettings(management, ids, own, plan),
            async () => pipe,
          ),
        },
      };
    } catch (error) {
      const told = withOthers(error, 'Everything but the settings was changed.');
      const userErrors: readonly Refusal[] | undefined = toRefusals(told);
      if (userErrors) return { pipe, userErrors };
      throw told;
    }
  },
);

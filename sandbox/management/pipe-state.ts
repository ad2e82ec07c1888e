import { Refusal } from '../refusal.ts';
import { oneOf } from '../rules.ts';
import type { Pipe } from './pipe-shapes.ts';
import type { ManagementState, PipeEntry } from './state.ts';

/** The members of a pipe that a command changes. */
type Moving = { readonly state: string; readonly updatedAt: string };

const commands = {
  start: { through: 'Provisioning', to: 'Running' },
  resync: { through: 'Resync', to: 'Running' },
} as const;

/** The states during and after a command. */
type Way = { readonly through: string; readonly to: string };

/** Rules that differ between services. */
export type CommandRules<P> = {
  /** The states in which a pipe can be started. */
  readonly startsFrom: readonly string[];
  readonly stopping: (pipe: P) => Way;
  /** Why a pipe cannot be resynced; undefined if it can. */
  readonly againstResync: (pipe: P) => string | undefined;
};

const command = oneOf('start', 'stop', 'resync');

/** The pipe as a read shows it now. Changes use no timers: a read compares the time of the change with the current time. */
export const currentPipe = <P extends Moving>({ record, change }: PipeEntry<P>, now: Date): P =>
  change && now.getTime() >= change.at ? { ...record, state: change.to } : record;

/** When a change that begins now is complete. */
export const arrival = ({
  clock,
  transitionMs,
}: Pick<ManagementState, 'clock' | 'transitionMs'>): number => clock().getTime() + transitionMs;

// The member's name is not documented: `command` is preferred, and if there is only one member, any name will do.
const readCommand = (body: unknown): 'start' | 'stop' | 'resync' => {
  const members = typeof body === 'object' && body !== null ? Object.entries(body) : [];
  const [name, value] = members.find(([key]) => key === 'command') ?? members[0] ?? [];
  if (name === undefined || (name !== 'command' && members.length > 1)) {
    throw new Refusal(400, 'the body must carry one command: start, stop or resync');
  }
  return command(value, 'command');
};

/** The documented rule 5. */
export const referenceRules: CommandRules<Pipe> = {
  startsFrom: ['Stopped', 'Failed'],
  stopping: () => ({ through: 'Stopping', to: 'Stopped' }),
  againstResync: ({ source }) =>
    source.postgres ? undefined : 'resync applies only to Postgres pipes',
};

/**
 * A state command: start only from some states (409), resync only without `againstResync` (400), stop from any state. The
 * answer shows the state during the command; reads show the final state `transitionMs` later.
 */
export const commandPipe = <P extends Moving>(
  state: Pick<ManagementState, 'clock' | 'transitionMs'>,
  entry: PipeEntry<P>,
  body: unknown,
  { startsFrom, stopping, againstResync }: CommandRules<P>,
): P => {
  const name = readCommand(body);
  const now = state.clock();
  const current = currentPipe(entry, now);
  if (name === 'start' && !startsFrom.includes(current.state)) {
    const states = `${startsFrom.slice(0, -1).join(', ')} or ${startsFrom.at(-1)}`;
    throw new Refusal(409, `start is allowed in state ${states}, the pipe is ${current.state}`);
  }
  const against = name === 'resync' ? againstResync(current) : undefined;
  if (against !== undefined) throw new Refusal(400, against);
  const { through, to } = name === 'stop' ? stopping(current) : commands[name];
  entry.record = { ...current, state: through, updatedAt: now.toISOString() };
  entry.change = { to, at: arrival(state) };
  return currentPipe(entry, now);
};

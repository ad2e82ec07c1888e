import { Refusal } from '../refusal.ts';
import { oneOf } from '../rules.ts';
import type { Pipe } from './pipe-shapes.ts';
import type { ManagementState, PipeEntry } from './state.ts';

const commands = {
  start: { through: 'Provisioning', to: 'Running' },
  stop: { through: 'Stopping', to: 'Stopped' },
  resync: { through: 'Resync', to: 'Running' },
} as const;

const command = oneOf('start', 'stop', 'resync');

/** The pipe as a read shows it now. A change is never carried out by a timer: it has happened once its time has come. */
export const currentPipe = ({ record, change }: PipeEntry, now: Date): Pipe =>
  change && now.getTime() >= change.at ? { ...record, state: change.to } : record;

/** When a change that begins now is complete. */
export const arrival = ({ clock, transitionMs }: ManagementState): number =>
  clock().getTime() + transitionMs;

// The member's name is not shown: `command` is preferred, and any other will do if it is the only one.
const readCommand = (body: unknown): keyof typeof commands => {
  const members = typeof body === 'object' && body !== null ? Object.entries(body) : [];
  const [name, value] = members.find(([key]) => key === 'command') ?? members[0] ?? [];
  if (name === undefined || (name !== 'command' && members.length > 1)) {
    throw new Refusal(400, 'the body must carry one command: start, stop or resync');
  }
  const read: keyof typeof commands = command(value, 'the command');
  return read;
};

/**
 * Rule 5, state command: start only from Stopped or Failed (409), resync only for Postgres (400), stop from any
 * state. The answer shows the state on the way; reads show the state arrived at `transitionMs` later.
 */
export const commandPipe = (state: ManagementState, entry: PipeEntry, body: unknown): Pipe => {
  const name = readCommand(body);
  const now = state.clock();
  const current = currentPipe(entry, now);
  if (name === 'start' && current.state !== 'Stopped' && current.state !== 'Failed') {
    throw new Refusal(
      409,
      `start is allowed in state Stopped or Failed, the pipe is ${current.state}`,
    );
  }
  if (name === 'resync' && !current.source.postgres) {
    throw new Refusal(400, 'resync applies only to Postgres pipes');
  }
  const { through, to } = commands[name];
  entry.record = { ...current, state: through, updatedAt: now.toISOString() };
  entry.change = { to, at: arrival(state) };
  return currentPipe(entry, now);
};

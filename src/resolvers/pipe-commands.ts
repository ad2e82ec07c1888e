import type { PipeCommand } from '../generated/schema.ts';
import type { PipeRecord } from '../upstream/management/records.ts';
import { stateOf } from './phase.ts';
import { sourceKind } from './pipe-source.ts';

type Commands = readonly PipeCommand[];

interface CommandTable {
  readonly byState: Readonly<Record<string, Commands>>;
  /** For InternalError, Unknown, and states that nobody knows. */
  readonly otherwise: Commands;
}

const running: Readonly<Record<string, Commands>> = Object.fromEntries(
  ['Running', 'Snapshot', 'Degraded', 'Setup', 'Provisioning', 'Resync', 'Modifying'].map(
    (state) => [state, ['STOP']],
  ),
);

const common: Readonly<Record<string, Commands>> = {
  ...running,
  Stopped: ['START'],
  Failed: ['START'],
  Completed: [],
};

/** Rule 5 of the reference, less the commands that change nothing. */
const reference: CommandTable = {
  byState: { ...common, Paused: ['STOP'], Pausing: [], Stopping: [] },
  otherwise: ['STOP'],
};

/** Pipes that copy a database stop in Paused there, and start resumes them. */
const clickhouseCloud: CommandTable = {
  byState: { ...common, Paused: ['START'], Pausing: ['START'], Stopping: ['START'] },
  otherwise: ['START', 'STOP'],
};

/** Without the profile of ClickHouse Cloud, no source is of the kinds but Postgres. */
const resynced: readonly unknown[] = ['postgres', 'mySql', 'mongoDb'];

/** The commands that make sense for a pipe in its state: hints for buttons. All commands are sent, whatever the state. */
export const availableCommands = (pipe: PipeRecord, profile: string): Commands => {
  const state = stateOf(pipe);
  const { byState, otherwise } = profile === 'clickhouse-cloud' ? clickhouseCloud : reference;
  const commands =
    typeof state === 'string' && Object.hasOwn(byState, state) ? byState[state] : undefined;
  return [
    ...(commands ?? otherwise),
    ...(resynced.includes(sourceKind(pipe.source)) ? (['RESYNC'] as const) : []),
  ];
};

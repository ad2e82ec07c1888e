import type { PipeCommand } from '../generated/schema.ts';
import type { PipeRecord } from '../upstream/management/rows/pipe.ts';
import { stateOf } from './phase.ts';
import { sourceKind } from './pipe-source.ts';

type Commands = readonly PipeCommand[];

interface CommandTable {
  readonly byState: Readonly<Record<string, Commands>>;
  /** For InternalError, Unknown, and states that no table has. */
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

/** The documented rule 5, without commands that would change nothing. */
const reference: CommandTable = {
  byState: { ...common, Paused: ['STOP'], Pausing: [], Stopping: [] },
  otherwise: ['STOP'],
};

/** In ClickHouse Cloud, pipes that copy a database stop in the state Paused, and start resumes them. */
const clickhouseCloud: CommandTable = {
  byState: { ...common, Paused: ['START'], Pausing: ['START'], Stopping: ['START'] },
  otherwise: ['START', 'STOP'],
};

/** The kinds of sources that can be resynced. Only the profile of ClickHouse Cloud has `mySql` and `mongoDb`. */
const resynced: readonly unknown[] = ['postgres', 'mySql', 'mongoDb'];

/**
 * The commands that make sense for a pipe in its state, as hints for buttons. Mutations send every command, whatever the
 * state; agents' tools send only these.
 */
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

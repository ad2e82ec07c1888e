import type {
  AlertFieldsFragment,
  AlertPhase,
  PipeCommand,
  PipePhase,
  ServiceCommand,
  ServicePhase,
} from './generated/operations.ts';

/** How a phase is shown. */
export interface Look {
  readonly word: string;
  /** The colour; none if the phase is neither good nor bad. */
  readonly tone?: 'good' | 'bad' | 'moving';
}

/** The phases of a pipe. */
export const pipeLooks: Readonly<Record<PipePhase, Look>> = {
  FAILED: { word: 'Failed', tone: 'bad' },
  UNKNOWN: { word: 'Unknown' },
  CHANGING: { word: 'Changing', tone: 'moving' },
  RUNNING: { word: 'Running', tone: 'good' },
  STOPPED: { word: 'Stopped' },
  COMPLETED: { word: 'Completed', tone: 'good' },
};

/** The word in a row of the list of pipes: a pipe's phase, or why the pipes of a service are not known. */
export type RowPhase = PipePhase | 'WAITING' | 'ASLEEP' | 'UNREADABLE';

export const rowLooks: Readonly<Record<RowPhase, Look>> = {
  ...pipeLooks,
  WAITING: { word: 'Not read yet' },
  ASLEEP: { word: 'Service not running' },
  UNREADABLE: { word: 'Not readable', tone: 'bad' },
};

/** The phases of a service. */
export const serviceLooks: Readonly<Record<ServicePhase, Look>> = {
  FAILED: { word: 'Failed', tone: 'bad' },
  UNKNOWN: { word: 'Unknown' },
  CHANGING: { word: 'Changing', tone: 'moving' },
  STOPPED: { word: 'Stopped' },
  IDLE: { word: 'Idle' },
  RUNNING: { word: 'Running', tone: 'good' },
  TERMINATED: { word: 'Terminated' },
};

/** The phases of an alert. */
export const alertLooks: Readonly<Record<AlertPhase, Look>> = {
  FIRING: { word: 'Firing', tone: 'bad' },
  NO_DATA: { word: 'No data', tone: 'moving' },
  UNKNOWN: { word: 'Unknown' },
  PENDING: { word: 'Pending', tone: 'moving' },
  OK: { word: 'OK', tone: 'good' },
  DISABLED: { word: 'Disabled' },
};

/** A state for which the gateway has no phase stands in the service's own word. */
export const lookOf = ({ phase, state }: AlertFieldsFragment): Look =>
  phase === 'UNKNOWN' && state
    ? { word: state.charAt(0).toUpperCase() + state.slice(1) }
    : alertLooks[phase];

/** Phases that need attention come first. */
export const rowPhases = [
  'FAILED',
  'UNREADABLE',
  'UNKNOWN',
  'CHANGING',
  'RUNNING',
  'STOPPED',
  'COMPLETED',
  'ASLEEP',
  'WAITING',
] as const;
export const servicePhases = [
  'FAILED',
  'UNKNOWN',
  'CHANGING',
  'STOPPED',
  'IDLE',
  'RUNNING',
  'TERMINATED',
] as const;
export const alertPhases = ['FIRING', 'NO_DATA', 'UNKNOWN', 'PENDING', 'OK', 'DISABLED'] as const;

export const sourceKinds = {
  KafkaSource: 'Kafka',
  ObjectStorageSource: 'Object storage',
  KinesisSource: 'Kinesis',
  PostgresSource: 'Postgres',
  MySqlSource: 'MySQL',
  BigQuerySource: 'BigQuery',
  MongoDbSource: 'MongoDB',
  PubSubSource: 'Pub/Sub',
  UnknownSource: 'Another source',
} as const;

export type Command = PipeCommand | ServiceCommand;

export const commandWords = {
  RESYNC: 'Resync',
  WAKE: 'Wake',
  START: 'Start',
  STOP: 'Stop',
} as const satisfies Readonly<Record<Command, string>>;

// All digits that a number has: a threshold of 0.0005 must not be shown as 0.001.
const number = new Intl.NumberFormat('en', { maximumSignificantDigits: 15 });

const units: Readonly<Record<string, string>> = { m: 'minute', h: 'hour', d: 'day' };

/** `5 minutes` for `5m`; an interval in another form stays unchanged. */
const durationOf = (interval: string): string => {
  const [, count = '', letter = ''] = /^(\d+)([a-z])$/.exec(interval) ?? [];
  const unit = units[letter];
  if (unit === undefined) return interval;
  return `${count} ${unit}${count === '1' ? '' : 's'}`;
};

const sides = {
  ABOVE: 'Above',
  ABOVE_EXCLUSIVE: 'More than',
  BELOW: 'Below',
  BELOW_OR_EQUAL: 'At most',
  EQUAL: 'Exactly',
  NOT_EQUAL: 'Other than',
  BETWEEN: 'Between',
  NOT_BETWEEN: 'Not between',
  UNKNOWN: 'Beyond',
} as const;

const limitOf = (value: number | null): string =>
  value === null ? 'an unknown threshold' : number.format(value);

/** When an alert fires, such as `Above 0.05 for 5 minutes`. */
export const conditionOf = ({
  threshold,
  thresholdMax,
  thresholdType,
  interval,
}: AlertFieldsFragment): string =>
  [
    sides[thresholdType ?? 'UNKNOWN'],
    limitOf(threshold),
    ...(thresholdType === 'BETWEEN' || thresholdType === 'NOT_BETWEEN'
      ? ['and', limitOf(thresholdMax)]
      : []),
    ...(interval === null ? [] : ['for', durationOf(interval)]),
  ].join(' ');

import { isoDateTime } from '../../formats.ts';
import {
  broken,
  decimal,
  integer,
  integerBetween,
  list,
  type Of,
  object,
  oneOf,
  type Reader,
  text,
} from '../../rules.ts';
import { objectId } from './object-id.ts';

const sized =
  (least: number, most: number): Reader<string> =>
  (value, at) => {
    const read = text(value, at);
    if (read.length < least || read.length > most) {
      throw broken(at, `must have from ${least} to ${most} characters`);
    }
    return read;
  };

const channel = object({ type: oneOf('webhook'), webhookId: objectId }, {});

/** Where notifications are sent. */
export type Channel = Of<typeof channel>;

/** The channels of an alert, here and in ClickStack. */
export const someOf =
  <Each>(one: Reader<Each>): Reader<readonly Each[]> =>
  (value, at) => {
    const read = list(one, 1)(value, at);
    if (read.length > 10) throw broken(at, 'must have at most 10 elements');
    return read;
  };

/** The members that every alert's body has, here and in ClickStack. */
export const requiredMembers = {
  threshold: decimal,
  interval: oneOf('1m', '5m', '15m', '30m', '1h', '6h', '12h', '1d'),
  thresholdType: oneOf(
    'above',
    'below',
    'above_exclusive',
    'below_or_equal',
    'equal',
    'not_equal',
    'between',
    'not_between',
  ),
} as const;

/** The members that an alert's body may have, here and in ClickStack. */
export const optionalMembers = {
  dashboardId: objectId,
  tileId: sized(1, 36),
  savedSearchId: objectId,
  groupBy: text,
  name: sized(1, 512),
  message: sized(1, 4096),
  note: text,
  numConsecutiveWindows: integerBetween(1, Number.POSITIVE_INFINITY),
  scheduleOffsetMinutes: integer,
  scheduleStartAt: isoDateTime,
  thresholdMax: decimal,
} as const;

/** The members of a body of POST and PUT alerts, each checked separately. */
export const alertShape = object(requiredMembers, {
  ...optionalMembers,
  source: oneOf('tile', 'saved_search'),
  channel,
  channels: someOf(channel),
});

/** The parsed body of an alert. */
export type GivenAlert = Of<typeof alertShape>;

/** An alert in HyperDX. */
export type LiveAlert = Pick<
  GivenAlert,
  'threshold' | 'interval' | 'thresholdType' | 'dashboardId' | 'tileId' | 'savedSearchId'
> &
  Pick<GivenAlert, 'thresholdMax' | 'scheduleOffsetMinutes' | 'scheduleStartAt'> & {
    readonly id: string;
    readonly name: string | null;
    readonly message: string | null;
    readonly note: string | null;
    readonly groupBy: string | null;
    readonly numConsecutiveWindows: number | null;
    readonly source: 'tile' | 'saved_search';
    readonly state: string;
    readonly channel: Channel;
    readonly channels: readonly Channel[];
    readonly teamId: string;
    readonly silenced?: { readonly by: string; readonly at: string; readonly until: string };
    readonly executionErrors: readonly {
      readonly timestamp: string;
      readonly type: string;
      readonly message: string;
    }[];
    readonly createdAt: string;
    readonly updatedAt: string;
  };

import type { AlertEntry } from './use-alerts.ts';
import type { Pipes } from './use-pipes.ts';
import type { BackedUp, CriticalNotification, ExpiringKey } from './use-upkeep.ts';
import { conditionOf, type Look, pipeLooks, serviceLooks } from './words.ts';

/** The list that has the row of a concern, and its identifier there. */
export interface Place {
  readonly list: 'pipes' | 'services' | 'alerts';
  readonly nodeId: string;
}

/** Something that needs attention. */
export interface Concern {
  readonly id: string;
  readonly name: string;
  /** What it is, and since when if that is known. */
  readonly about: string;
  readonly look: Look;
  /** A smaller number comes first. */
  readonly rank: number;
  /** None for what has no row. */
  readonly place?: Place;
}

interface Known {
  readonly pipes: Pipes['entries'];
  readonly services: Pipes['services'];
  readonly alerts: readonly AlertEntry[];
  readonly keys: readonly ExpiringKey[];
  readonly notifications: readonly CriticalNotification[];
  readonly backups: readonly BackedUp[];
}

/** From what fails for users now to what somebody may have wanted. Notifications stay for 180 days, whatever was done. */
const ranks = [
  ...['firing', 'failed service', 'failed pipe', 'expired key', 'failed backup', 'degraded pipe'],
  ...['expiring key', 'stopped service', 'idle service', 'silenced', 'notification'],
] as const;
const rankOf = (name: (typeof ranks)[number]): number => ranks.indexOf(name);

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const hourMs = 3_600_000;

/** A time seen from now, such as `in 5 days` or `3 hours ago`. */
const seenFrom = (now: number, time: string): string => {
  const hours = (Date.parse(time) - now) / hourMs;
  return Math.abs(hours) < 48
    ? relative.format(Math.round(hours), 'hour')
    : relative.format(Math.round(hours / 24), 'day');
};

const ofAlerts = ({ alerts }: Known): readonly Concern[] =>
  alerts
    .filter(({ phase }) => phase === 'FIRING')
    .map(({ nodeId, name, place, alert }) => ({
      ...{ id: nodeId, name, about: `Alert · ${conditionOf(alert)} · ${place}` },
      look: alert.silenced ? { word: 'Silenced' } : { word: 'Firing', tone: 'bad' },
      rank: rankOf(alert.silenced ? 'silenced' : 'firing'),
      place: { list: 'alerts', nodeId },
    }));

const ofPipes = ({ pipes }: Known): readonly Concern[] =>
  pipes.flatMap(({ nodeId, name, place, pipe }): readonly Concern[] => {
    const isFailed = pipe?.phase === 'FAILED';
    if (!isFailed && pipe?.state?.toLowerCase() !== 'degraded') return [];
    return [
      {
        ...{ id: nodeId, name, about: `Pipe · ${place}` },
        look: isFailed ? pipeLooks.FAILED : { word: 'Degraded', tone: 'moving' },
        rank: rankOf(isFailed ? 'failed pipe' : 'degraded pipe'),
        place: { list: 'pipes', nodeId },
      },
    ];
  });

const serviceRanks = {
  FAILED: rankOf('failed service'),
  STOPPED: rankOf('stopped service'),
  IDLE: rankOf('idle service'),
} as const;

const ofServices = ({ services }: Known): readonly Concern[] =>
  services.flatMap(({ nodeId, name, place, phase }): readonly Concern[] => {
    if (phase !== 'FAILED' && phase !== 'STOPPED' && phase !== 'IDLE') return [];
    return [
      {
        ...{ id: nodeId, name, about: `Service · ${place}` },
        look: serviceLooks[phase],
        rank: serviceRanks[phase],
        place: { list: 'services', nodeId },
      },
    ];
  });

const byExpiry = (one: ExpiringKey, other: ExpiringKey): number =>
  Date.parse(one.expiresAt ?? '') - Date.parse(other.expiresAt ?? '');

const ofKeys = ({ keys }: Known, now: number): readonly Concern[] =>
  keys.toSorted(byExpiry).flatMap(({ id, name, keySuffix, expiresAt }): readonly Concern[] => {
    if (expiresAt === null) return [];
    const isExpired = Date.parse(expiresAt) <= now;
    const when = `${isExpired ? 'expired' : 'expires'} ${seenFrom(now, expiresAt)}`;
    return [
      {
        ...{ id, name: name ?? 'Unnamed key', about: `API key …${keySuffix ?? '?'} · ${when}` },
        look: isExpired ? { word: 'Expired', tone: 'bad' } : { word: 'Expires', tone: 'moving' },
        rank: rankOf(isExpired ? 'expired key' : 'expiring key'),
      },
    ];
  });

/** The upstream does not tell whether somebody has already seen to it. */
const ofNotifications = ({ notifications }: Known): readonly Concern[] =>
  notifications.map(({ type }, at) => ({
    ...{ id: `notification ${at}`, name: type?.replaceAll('_', ' ') ?? 'Notification' },
    about: 'Notification of the last 180 days',
    look: { word: 'Critical', tone: 'bad' },
    rank: rankOf('notification'),
  }));

const ofBackups = ({ backups }: Known, now: number): readonly Concern[] =>
  backups.flatMap(({ nodeId, name, lastBackup }): readonly Concern[] => {
    if (lastBackup?.status !== 'error') return [];
    const { startedAt } = lastBackup;
    return [
      {
        ...{ id: `backup of ${nodeId}`, name: name ?? 'Unnamed service' },
        about: ['Last backup', startedAt && `begun ${seenFrom(now, startedAt)}`]
          .filter(Boolean)
          .join(' · '),
        look: { word: 'Failed', tone: 'bad' },
        rank: rankOf('failed backup'),
        place: { list: 'services', nodeId },
      },
    ];
  });

/** All that needs attention, the most urgent first. */
export const concernsOf = (known: Known, now: number): readonly Concern[] =>
  [ofAlerts, ofServices, ofPipes, ofKeys, ofNotifications, ofBackups]
    .flatMap((of) => of(known, now))
    .toSorted((one, other) => one.rank - other.rank);

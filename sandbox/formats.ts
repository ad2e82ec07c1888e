import { isIP } from 'node:net';
import { broken, type Reader, text } from './rules.ts';

const formatted =
  (holds: (value: string) => boolean, rule: string): Reader<string> =>
  (value, at) => {
    const read = text(value, at);
    if (!holds(read)) throw broken(at, `must be ${rule}`);
    return read;
  };

const dateTime =
  /^(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/;

// Date.parse alone takes February 30 for March 2.
const isOnTheCalendar = (value: string): boolean => {
  const { year, month, day } = dateTime.exec(value)?.groups ?? {};
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  return date.getUTCMonth() + 1 === Number(month) && date.getUTCDate() === Number(day);
};

/** An ISO 8601 date-time with its offset. */
export const isoDateTime: Reader<string> = formatted(
  (value) => dateTime.test(value) && !Number.isNaN(Date.parse(value)) && isOnTheCalendar(value),
  'an ISO 8601 date-time',
);

/** The base64 encoding of 32 bytes (documented rule 4: the raw SHA-256 digest of a password). */
export const base64Sha256: Reader<string> = formatted((value) => {
  const bytes = Buffer.from(value, 'base64');
  return bytes.length === 32 && bytes.toString('base64') === value;
}, 'the base64 encoding of a raw SHA-256 digest (32 bytes)');

/** 40 hexadecimal digits (documented rule 4: a double SHA-1 digest). */
export const hexSha1: Reader<string> = formatted(
  (value) => /^[0-9a-f]{40}$/i.test(value),
  'the hexadecimal form of a SHA-1 digest (40 digits)',
);

/** A number followed by a unit letter, such as `5m` (Alert.interval). The possible units are not documented. */
export const shortDuration: Reader<string> = formatted(
  (value) => /^[1-9]\d*[a-z]$/i.test(value),
  'a number followed by a unit letter, such as 5m',
);

/** A full hour as `HH:00`, in UTC. */
export const fullHour: Reader<string> = formatted(
  (value) => /^([01]\d|2[0-3]):00$/.test(value),
  'a full hour as HH:00',
);

/** An IP address, or a range of addresses as in `192.0.2.0/24`. */
export const addresses: Reader<string> = formatted((value) => {
  const [address = '', bits] = value.split(/\/(.*)/, 2);
  const most = { 4: 32, 6: 128 }[isIP(address)];
  return most !== undefined && (bits === undefined || (/^\d{1,3}$/.test(bits) && +bits <= most));
}, 'an IP address, or a range of addresses as in 192.0.2.0/24');

/** A text of limited length. */
export const shortText = (most: number): Reader<string> =>
  formatted((value) => value.length <= most, `at most ${most} characters long`);

/** Whether a path identifier has the form of a UUID. */
export const isUuid = (value: string): boolean =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(value);

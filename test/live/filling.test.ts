import { describe, vi } from 'vitest';
import { rows } from '../support/live-rows.ts';

vi.mock('node:timers/promises', () => import('../support/upstream/timers-promises.ts'));

const limited = (shown: string, ready: number, wanted: number) =>
  `${shown} of ${wanted - 1} (RATE_LIMITED) ready ${ready}/${wanted}`;
const changed = (shown: string, ready: number) =>
  `${shown} of 99: [Running] [Stopped] (RATE_LIMITED) ready ${ready}/100`;
const begun = limited('1-7', 8, 41);
const unread = [
  [424, 'SERVICE_NOT_RUNNING', 'RATE_LIMITED, SERVICE_NOT_RUNNING'],
  [500, 'UPSTREAM_ERROR', 'RATE_LIMITED, UPSTREAM_ERROR'],
  [404, 'NOT_FOUND', 'NOT_FOUND, RATE_LIMITED'],
  // A success that is no list.
  [202, 'UPSTREAM_BAD_RESPONSE', 'RATE_LIMITED, UPSTREAM_BAD_RESPONSE'],
] as const;

describe('a subscription that needs more calls than fit the time of an event', () => {
  rows(`
  shows what there is, then more and more, each read sent once for all who watch or ask, and is polled when it is whole (services 40)
    A watches fleet, B watches fleet, Q asks fleet -> A: ${begun} | B: ${begun}
    25 s -> A: ${limited('1-15', 16, 41)}; ${limited('1-23', 24, 41)} | B: ${limited('1-15', 16, 41)}; ${limited('1-23', 24, 41)} | Q: 1-23 of 40 (RATE_LIMITED) ready 24/41
    -> A: ${limited('1-31', 32, 41)}; 1-40 of 40 | B: ${limited('1-31', 32, 41)}; 1-40 of 40 / calls 41
    50 s -> - / calls at least 53, calls at most 59
  leaves other streams of the credential their polls (services 99)
    A watches organization -> A: organization
    B watches fleet, 30 s -> B: ${limited('1-6', 7, 100)}; ${limited('1-13', 14, 100)}; ${limited('1-20', 21, 100)}
    90 s -> B: ${limited('1-27', 28, 100)}; …; ${limited('1-83', 84, 100)} / organization at least 8
    -> B: ${limited('1-90', 91, 100)}; 1-99 of 99
  shows a change that is made meanwhile, and nothing that it has shown is missing until then (services 99)
    A watches fleet, 33 s -> A: ${limited('1-7', 8, 100)}; …; ${limited('1-31', 32, 100)}
    stop the pipe of service 3, pipes 3: Stopped, Q asks service 90 -> Q: [Running]
    13 s -> A: ${changed('1-31 90', 33)}; ${changed('1-36 90', 38)}; ${changed('1-38 90', 40)} / pipes 3 2
  goes on while a read takes long (services 60)
    pipes 26: hangs, A watches fleet -> A: ${limited('1-7', 8, 61)}
    45 s -> A: ${limited('1-15', 16, 61)}; …; ${limited('1-25 27-38', 38, 61)}
    pipes 26: ok -> A: ${limited('1-38', 39, 61)}; …; 1-60 of 60 / calls 62
  gets also what was read last, while a write of it failed (services 8, managementRate 2/10000)
    pipes 8: hangs, A watches fleet, 45 s ->
      A: ${limited('1', 2, 9)}; …; ${limited('1-7', 8, 9)}
    stop of service 8: 403, stop the pipe of service 8, pipes 8: ok -> A: 1-8 of 8 / stop of service 8 1
  is read on for a minute at most when the subscriber has left (services 99)
    A watches fleet -> A: ${limited('1-7', 8, 100)}
    28 s, A leaves -> A: ${limited('1-15', 16, 100)}; ${limited('1-23', 24, 100)}; end: client left
    120 s -> - / calls at most 72, streams 0, reads 0, credentials 0
  does not take all calls where answers do not fit into memory (services 40, readCacheBytes 40000)
    A watches fleet, 200 s -> … / pipes 1 at least 1, pipes 40 at least 1
    400 s -> … / pipes 1 at least 3, pipes 40 at least 2, calls at most 300
  `);
});

describe('what fails for another reason than its turn', () => {
  const counted = unread.map(
    ([status, code, codes]) => `
  counts as read: ${code} (services 8, managementRate 2/10000)
    pipes 1: ${status}, pipes 8: ${status}, A watches fleet ->
      A: none of 8 (${codes}) ready 2/9
    -> A: 2-3 of 8 (${codes}) ready 4/9; 2-5 of 8 (${codes}) ready 6/9
    -> A: 2-7 of 8 (${codes}) ready 8/9
    -> A: 2-7 of 8 (${code}) / calls 10`,
  );
  rows(`${counted.join('')}
  is no news where it only comes in another order (services 2)
    pipes 1: hangs, pipes 2: 500, A watches fleet, 0.5 s -> -
    pipes 1: 500 -> A: [null, null] (UPSTREAM_ERROR)
    80 s -> - / pipes 1 at least 3
  is what keeps the rest from being read while the upstream is down (services 40, breakerFailures 5)
    A watches fleet as key, 25 s -> A: ${begun}; ${limited('1-15', 16, 41)}; ${limited('1-23', 24, 41)}
    key key: 503, 45 s ->
      A: 1-23 of 40 (RATE_LIMITED, UPSTREAM_UNAVAILABLE) ready 32/41; 1-23 of 40 (UPSTREAM_UNAVAILABLE)
    key key: ok -> A: 1-23 29 of 40 (UPSTREAM_UNAVAILABLE); …; 1-40 of 40
  `);
});

describe('where nothing is read on, an event waits for its reads, and tells of no progress:', () => {
  rows(`
  without a memory (services 40, readCacheBytes 0)
    A watches fleet -> A: 1-23 of 40 (RATE_LIMITED)
    -> A: 1-40 of 40 / calls at most 45
  where nothing is shown that is old (services 40, maxStaleMs 0)
    A watches fleet -> A: 1-23 of 40 (RATE_LIMITED)
    -> A: 1-40 of 40 / calls at most 45
  `);
});

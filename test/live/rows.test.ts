import { describe } from 'vitest';
import { rows } from '../support/live-rows.ts';

const failures = [
  [503, 'UPSTREAM_UNAVAILABLE'],
  [424, 'SERVICE_NOT_RUNNING'],
] as const;

describe('a subscription', () => {
  rows(`
  sends the first event at once, and a further one for a change that it selects, with the next poll
    A watches pipe, B watches name -> A: Running | B: pipe 0
    pipe: Failed, 4 s -> -
    2 s -> A: Failed
    14 s -> - / pipe at least 4
  executes no event where the envelope of an answer alone differs
    backup: 500, A watches backup -> A: [Running, Running, Running] null (UPSTREAM_ERROR)
    60 s -> - / pipes at least 5, backup at most 5
  polls what is fresh for half a minute no sooner
    A watches backup -> A: [Running, Running, Running] 24
    28 s -> - / backup 1
    6 s -> - / backup 2
  takes what other requests have read, and is not polled for it then
    A watches pipe -> A: Running
    4 s, pipe: Failed, Q asks pipe -> A: Failed | Q: Failed
    4 s -> - / calls 2
  begins with a new read for those who ask for one, which is news to others
    A watches pipe -> A: Running
    pipe: Failed, B watches pipe anew -> A: Failed | B: Failed / pipe 2
  reads nothing anew in later events, of those who ask for new reads (pollMs 500)
    no alerts, an alert of d2, Q asks alerts -> Q: [OK dashboard]
    no alerts, A watches alerts anew -> A: []
    an alert of d2 -> A: [OK dashboard] / dashboard d2 1
  is not polled before its first event has got its answer
    pipe: hangs, A watches pipe, 20 s -> - / pipe 1
    pipe: ok -> A: Running / pipe 1
  is not polled before its first event has got its 404
    pipe: hangs, A watches pipe, 20 s -> - / pipe 1
    pipe: 404 -> A: null (NOT_FOUND, nothing to watch); end: nothing to watch / pipe 1
  is not polled before its first event has got its 500
    pipe: hangs, A watches pipe, 20 s -> - / pipe 1
    pipe: 500 -> A: null (UPSTREAM_ERROR)
  costs two hundred subscribers the calls of one
    A watches pipe -> A: Running
    199 A watch pipe -> 199 A: Running / streams 200, reads 1, credentials 1, calls 1
    12 s, pipe: Failed -> 200 A: Failed / calls 4
  reads one list for several pipes of a service
    A watches pipe -> A: Running
    B watches pipe 1 -> B: Running
    C watches pipe 2 -> C: Running / streams 3, reads 2, credentials 1
    pipes: Failed -> A: Failed | B: Failed | C: Failed / reads 2
  lets go of everything once the last subscriber has left
    2 A watch pipe -> 2 A: Running
    A leaves -> A: end: client left / streams 1, reads 1, credentials 1
    A leaves -> A: end: client left / streams 0, reads 0, credentials 0
    20 s -> - / calls 1
  lets go of what its newest event does not use
    A watches alerts -> A: [OK dashboard] / reads 2
    no alerts -> A: [] / reads 1
  shows that an event is larger than a response may be, and those after it (maxResponseSize 9000)
    A watches alerts -> A: [OK dashboard]
    99 alerts of d2 -> A: (LIMIT_EXCEEDED 9000 responseSize)
    no alerts -> A: []
  gives no further polls to who leaves and subscribes again (pollMs 500)
    A watches pipe -> A: Running
    stop the pipe, 3 s, A leaves -> A: Stopping; end: client left
    B watches pipe -> B: Stopping
    stop the pipe, 3 s, B leaves -> B: end: client left / pipe at most 5
    C watches pipe, 10 s -> C: Stopping / pipe at least 7, pipe at most 9
  `);
});

describe('without a wait for the next poll a subscription shows a write of the gateway', () => {
  rows(`
  to every credential (pollMs 600000)
    A watches pipe, B watches pipe as other -> A: Running | B: Running
    stop the pipe -> A: Stopping | B: Stopping / pipe 4
  that was refused, to the credential of the write (pollMs 600000)
    A watches pipe, B watches pipe as other -> A: Running | B: Running
    stop: 409, pipe: Stopping, stop the pipe -> A: Stopping
    1 s -> - / pipe 3
  of which nobody knows what became, to the credential of the write (pollMs 600000)
    A watches pipe, B watches pipe as other -> A: Running | B: Running
    stop: 500, pipe: Stopping, stop the pipe -> A: Stopping
    1 s -> - / pipe 3
  that its credential may not make, to nobody (pollMs 600000)
    A watches pipe, B watches pipe as other -> A: Running | B: Running
    stop: 403, pipe: Stopping, stop the pipe, 12 s -> - / pipe 2
  that was answered 401, to its credential, which is not polled more often then (pollMs 500)
    A watches pipe -> A: Running
    stop: 401, pipe: Stopping, stop the pipe -> A: Stopping / pipe 2
    3 s -> - / pipe 2
  of what was not there before (pollMs 600000)
    service: 404, A watches pipes ->
      A: [Running null, Running null, Running null] (NOT_FOUND)
    service: ok, scale the service ->
      A: [Running service, Running service, Running service] / service 2
  of which nobody knows what became, and all others, whoever asks and fails meanwhile (pollMs 600000)
    A watches services -> A: [service [Running, Running, Running], service 2 [Running]]
    stop: 500, pipe: Stopping, stop the pipe -> A: [service [Stopping, Running, Running], service 2 [Running]]
    pipes: 503, Q asks pipes -> Q: null (UPSTREAM_UNAVAILABLE)
    stop a pipe of service 2 -> A: [service [Stopping, Running, Running], service 2 [Stopping]]
  that the limit has refused, to nobody (pollMs 600000)
    A watches pipe, B watches pipe as other -> A: Running | B: Running
    stop: 429, pipe: Stopping, stop the pipe, 12 s -> - / pipe 2
  `);
});

describe('where reads are not kept,', () => {
  rows(`
  a subscription works, and neither requests nor first events see its reads (readCacheBytes 0)
    A watches pipe -> A: Running
    Q asks pipe -> Q: Running
    Q asks pipe -> Q: Running / calls 3
    pipe: Failed, B watches pipe -> A: Failed | B: Failed / calls 4
  since they are too large, an event reads what a poll has found changed (readCacheBytes 65536, filler 20000)
    A watches pipe -> A: Running
    5.1 s -> - / pipe 2
    pipe: Failed -> A: Failed / pipe 4
  since they are too large, subscribers do not wake one another for ever (readCacheBytes 65536, filler 20000, isChanging 1, pollMs 600000)
    A watches pipe, B watches pipe -> A: Running | B: Running
    10 s -> - / pipe at most 2
  `);
});

describe('subscribers with different credentials', () => {
  rows(`
  get their error each, and the others stay
    A watches pipe as revoked, B watches pipe -> A: Running | B: Running / credentials 2
    key revoked: 401 ->
      A: null (UNAUTHENTICATED, credential refused); end: credential refused
    10 s -> - / streams 1, reads 1, credentials 1
  are shown nothing more once another call has found their credential revoked (pollMs 600000)
    A watches pipe as revoked -> A: Running
    key revoked: 401, Q asks organization as revoked ->
      A: null (UNAUTHENTICATED, credential refused); end: credential refused | Q: null (UNAUTHENTICATED)
    B watches pipe as revoked -> B: (UNAUTHENTICATED, credential refused); end: refused
  `);
});

describe('a failure that may pass', () => {
  const shown = failures.map(
    ([status, code]) => `
  is shown once it has lasted for 30 s; polls become rarer, and then go on: ${status}
    A watches pipe -> A: Running
    pipe: ${status}, 30 s -> -
    10 s -> A: null (${code})
    40 s -> - / pipe 5
    pipe: ok, pipe: Failed -> A: Failed`,
  );
  rows(`${shown.join('')}
  is not shown if it has passed before the next poll (pollMs 3000)
    A watches pipe -> A: Running
    pipe: 503, 22 s, pipe: ok, 60 s -> -
  goes at once when the upstream is up again (breakerFailures 2)
    A watches pipe, B watches organization, C watches service as other ->
      A: Running | B: organization | C: service
    pipe: 503, organization: 503, service: 503, 120 s ->
      A: null (UPSTREAM_UNAVAILABLE) | B: null (UPSTREAM_UNAVAILABLE) | C: null (UPSTREAM_UNAVAILABLE)
    pipe: ok, organization: ok, service: ok, 3 s -> A: Running | B: organization | C: service
  is shown in a first event, and the data once it has passed
    pipe: 503, A watches pipe -> A: null (UPSTREAM_UNAVAILABLE)
    pipe: ok -> A: Running
  is not shown of what a write has changed before that is known (pollMs 1000, managementRate off)
    A watches pipe -> A: Running
    pipe: 503, stop the pipe, 3 s -> - / pipe 3
    pipe: ok -> A: Stopping
  is not tried again before something new is known
    A watches services -> A: [service [Running, Running, Running], service 2 [Running]]
    services: 503, scale the service, pipes: Stopped, 10 s -> - / services at most 7
    services: ok -> A: [service [Stopped, Stopped, Stopped], service 2 [Stopped]]
  is sent with a change where the client was shown as much before, and not twice
    backup: 503, A watches backup -> A: [Running, Running, Running] null (UPSTREAM_UNAVAILABLE)
    pipe: Failed -> A: [Failed, Running, Running] null (UPSTREAM_UNAVAILABLE)
    pipe: Running -> A: [Running, Running, Running] null (UPSTREAM_UNAVAILABLE)
    60 s -> -
    backup: ok -> A: [Running, Running, Running] 24
  holds back an event for half a minute at most, where others have changed
    A watches alerts -> A: [OK dashboard]
    dashboard d2: 500, an alert of d2, 25 s -> -
    15 s -> A: [OK dashboard, OK null] (UPSTREAM_ERROR)
    alerts: ALERT, 10 s -> A: [ALERT dashboard, ALERT null] (UPSTREAM_ERROR)
    dashboard d2: ok -> A: [ALERT dashboard, ALERT dashboard]
  has lasted, of a read that hangs, since that was sent, and is shown if the next poll is not answered in ten seconds either
    A watches pipe -> A: Running
    pipe: hangs, 44.1 s -> - / pipe 3
    1.5 s -> A: null (UPSTREAM_TIMEOUT) ready 0/1
  is not shown of a read that hung, and answers again
    A watches pipe -> A: Running
    pipe: hangs, 20 s, pipe: ok, 40 s -> -
    pipe: Stopped, 6 s -> A: Stopped
  leaves the list of all pipes what it has
    A watches all pipes -> A: [Running, Running, Running, Running] []
    pipes of service 2: 503, stop a pipe of service 2, pipe 1: Failed, 8 s -> -
    pipes of service 2: ok -> A: [Running, Failed, Stopping, Stopping] []
  leaves the list of all pipes what it has, of a service that sleeps
    pipes of service 2: 424, A watches all pipes ->
      A: [Running, Running, Running] [service 2 SERVICE_NOT_RUNNING]
    pipes of service 2: ok -> A: [Running, Running, Running, Running] []
  `);
});

describe('a stream is ended', () => {
  const refusals = [
    [401, 'UNAUTHENTICATED', 'credential refused'],
    [403, 'FORBIDDEN', 'credential refused'],
    [404, 'NOT_FOUND', 'nothing to watch'],
  ] as const;
  const polled = refusals.map(
    ([status, code, end]) => `
  by a ${status} of a poll, which is sent once and told to each subscriber
    2 A watch pipe -> 2 A: Running
    pipe: ${status} -> 2 A: null (${code}, ${end}); end: ${end} / streams 0, reads 0, credentials 0, pipe 2`,
  );
  const parts = refusals.map(
    ([status, code, end]) => `
  ${status === 404 ? 'not ' : ''}after its first event where a part of it is answered ${status}
    service: ${status}, A watches pipes ->
      A: [Running null, Running null, Running null] (${code}${status === 404 ? '' : `, ${end}); end: ${end}`}`,
  );
  rows(`${polled.join('')}${parts.join('')})
    pipes: Failed -> A: [Failed null, Failed null, Failed null] (NOT_FOUND) / service 1
  after its first event where that is answered 404
    pipe: 404, A watches pipe -> A: null (NOT_FOUND, nothing to watch); end: nothing to watch / reads 0
  with an event that says so, also where that event tells nothing else
    A watches pipe -> A: Running
    pipe: 401, B watches pipe anew ->
      A: null (UNAUTHENTICATED, credential refused); end: credential refused |
      B: null (UNAUTHENTICATED); null (UNAUTHENTICATED, credential refused); end: credential refused
  after a minute in which nothing was ever answered
    service: 503, A watches service, 55 s -> A: null (UPSTREAM_UNAVAILABLE)
    6 s -> A: end: no answer / streams 0, reads 0, credentials 0
  when the gateway stops, also while it waits for its first event
    A watches pipe -> A: Running
    pipes: hangs, B watches pipes, the gateway stops -> A: end: gateway stops | B: end: gateway stops
  `);
});

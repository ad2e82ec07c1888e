import { it } from 'vitest';
import {
  A,
  addAlerts,
  alertsAre,
  atLeast,
  atMost,
  B,
  between,
  C,
  carryOut,
  configure,
  fails,
  gatewayStops,
  hangs,
  keyFails,
  news,
  noAlerts,
  pass,
  pipeIs,
  pipesAre,
  Q,
  works,
  write,
} from '../support/live-rows.ts';

const failures = [
  [503, 'UPSTREAM_UNAVAILABLE'],
  [424, 'SERVICE_NOT_RUNNING'],
] as const;

it('a subscription sends the first event at once, and a further one for a change that it selects, with the next poll', async () => {
  await news('A: Running | B: pipe 0', A.watches('pipe'), B.watches('name'));
  await news('-', pipeIs('Failed'), pass(4));
  await news('A: Failed', pass(2));
  await news('-', pass(14), { pipe: atLeast(4) });
});
it('a subscription executes no event where the envelope of an answer alone differs', async () => {
  await carryOut(fails('backup', 500));
  await news('A: [Running, Running, Running] null (UPSTREAM_ERROR)', A.watches('backup'));
  await news('-', pass(60), { pipes: atLeast(5), backup: atMost(5) });
});
it('a subscription polls what is fresh for half a minute no sooner', async () => {
  await news('A: [Running, Running, Running] 24', A.watches('backup'));
  await news('-', pass(28), { backup: 1 });
  await news('-', pass(6), { backup: 2 });
});
it('a subscription takes what other requests have read, and is not polled for it then', async () => {
  await news('A: Running', A.watches('pipe'));
  await news('A: Failed | Q: Failed', pass(4), pipeIs('Failed'), Q.asks('pipe'));
  await news('-', pass(4), { calls: 2 });
});
it('a subscription begins with a new read for those who ask for one, which is news to others', async () => {
  await news('A: Running', A.watches('pipe'));
  await carryOut(pipeIs('Failed'));
  await news('A: Failed | B: Failed', B.watches('pipe', { anew: true }), { pipe: 2 });
});
it('a subscription reads nothing anew in later events, of those who ask for new reads', async () => {
  configure({ pollMs: 500 });
  await news('Q: [OK dashboard]', noAlerts, addAlerts(1), Q.asks('alerts'));
  await news('A: []', noAlerts, A.watches('alerts', { anew: true }));
  await news('A: [OK dashboard]', addAlerts(1), { 'dashboard d2': 1 });
});
it('a subscription is not polled before its first event has got its answer', async () => {
  await news('-', hangs('pipe'), A.watches('pipe'), pass(20), { pipe: 1 });
  await news('A: Running', works('pipe'), { pipe: 1 });
});
it('a subscription is not polled before its first event has got its 500', async () => {
  await news('-', hangs('pipe'), A.watches('pipe'), pass(20), { pipe: 1 });
  await news('A: null (UPSTREAM_ERROR)', fails('pipe', 500));
});
it('a subscription costs two hundred subscribers the calls of one', async () => {
  await news('A: Running', A.watches('pipe'));
  await carryOut(A.watches('pipe', { times: 199 }));
  await news('199 A: Running', { streams: 200, reads: 1, credentials: 1, calls: 1 });
  await news('200 A: Failed', pass(12), pipeIs('Failed'), { calls: 4 });
});
it('a subscription reads one list for several pipes of a service', async () => {
  await news('A: Running', A.watches('pipe'));
  await news('B: Running', B.watches('pipe 1'));
  await news('C: Running', C.watches('pipe 2'), { streams: 3, reads: 2, credentials: 1 });
  await news('A: Failed | B: Failed | C: Failed', pipesAre('Failed'), { reads: 2 });
});
it('a subscription lets go of everything once the last subscriber has left', async () => {
  await news('2 A: Running', A.watches('pipe', { times: 2 }));
  await news('A: end: client left', A.leaves, { streams: 1, reads: 1, credentials: 1 });
  await news('A: end: client left', A.leaves, { streams: 0, reads: 0, credentials: 0 });
  await news('-', pass(20), { calls: 1 });
});
it('a subscription lets go of what its newest event does not use', async () => {
  await news('A: [OK dashboard]', A.watches('alerts'), { reads: 2 });
  await news('A: []', noAlerts, { reads: 1 });
});
it('a subscription shows that an event is larger than a response may be, and those after it', async () => {
  configure({ maxResponseSize: 9000 });
  await news('A: [OK dashboard]', A.watches('alerts'));
  await news('A: (LIMIT_EXCEEDED 9000 responseSize)', addAlerts(99));
  await news('A: []', noAlerts);
});
it('a subscription gives no further polls to who leaves and subscribes again', async () => {
  configure({ pollMs: 500 });
  await news('A: Running', A.watches('pipe'));
  await news('A: Stopping; end: client left', write('stop the pipe'), pass(3), A.leaves);
  await news('B: Stopping', B.watches('pipe'));
  await news('B: end: client left', write('stop the pipe'), pass(3), B.leaves, { pipe: atMost(5) });
  await news('C: Stopping', C.watches('pipe'), pass(10), { pipe: between(7, 9) });
});

it('without a wait for the next poll a subscription shows a write of the gateway to every credential', async () => {
  configure({ pollMs: 600_000 });
  await news('A: Running | B: Running', A.watches('pipe'), B.watches('pipe', { as: 'other' }));
  await news('A: Stopping | B: Stopping', write('stop the pipe'), { pipe: 4 });
});
it('without a wait for the next poll a subscription shows a write of the gateway that was refused, to the credential of the write', async () => {
  configure({ pollMs: 600_000 });
  await news('A: Running | B: Running', A.watches('pipe'), B.watches('pipe', { as: 'other' }));
  await news('A: Stopping', fails('stop', 409), pipeIs('Stopping'), write('stop the pipe'));
  await news('-', pass(1), { pipe: 3 });
});
it('without a wait for the next poll a subscription shows a write of the gateway of which nobody knows what became, to the credential of the write', async () => {
  configure({ pollMs: 600_000 });
  await news('A: Running | B: Running', A.watches('pipe'), B.watches('pipe', { as: 'other' }));
  await news('A: Stopping', fails('stop', 500), pipeIs('Stopping'), write('stop the pipe'));
  await news('-', pass(1), { pipe: 3 });
});
it('without a wait for the next poll a subscription shows a write of the gateway that its credential may not make, to nobody', async () => {
  configure({ pollMs: 600_000 });
  await news('A: Running | B: Running', A.watches('pipe'), B.watches('pipe', { as: 'other' }));
  await carryOut(fails('stop', 403));
  await news('-', pipeIs('Stopping'), write('stop the pipe'), pass(12), { pipe: 2 });
});
it('without a wait for the next poll a subscription shows a write of the gateway that was answered 401, to its credential, which is not polled more often then', async () => {
  configure({ pollMs: 500 });
  await news('A: Running', A.watches('pipe'));
  await carryOut(fails('stop', 401));
  await news('A: Stopping', pipeIs('Stopping'), write('stop the pipe'), { pipe: 2 });
  await news('-', pass(3), { pipe: 2 });
});
it('without a wait for the next poll a subscription shows a write of the gateway of what was not there before', async () => {
  configure({ pollMs: 600_000 });
  await carryOut(fails('service', 404));
  await news('A: [Running null, Running null, Running null] (NOT_FOUND)', A.watches('pipes'));
  await carryOut(works('service'), write('scale the service'));
  await news('A: [Running service, Running service, Running service]', { service: 2 });
});
it('without a wait for the next poll a subscription shows a write of the gateway of which nobody knows what became, and all others, whoever asks and fails meanwhile', async () => {
  configure({ pollMs: 600_000 });
  await carryOut(A.watches('services'));
  await news('A: [service [Running, Running, Running], service 2 [Running]]');
  await carryOut(fails('stop', 500), pipeIs('Stopping'), write('stop the pipe'));
  await news('A: [service [Stopping, Running, Running], service 2 [Running]]');
  await news('Q: null (UPSTREAM_UNAVAILABLE)', fails('pipes', 503), Q.asks('pipes'));
  await carryOut(write('stop a pipe of service 2'));
  await news('A: [service [Stopping, Running, Running], service 2 [Stopping]]');
});
it('without a wait for the next poll a subscription shows a write of the gateway that the limit has refused, to nobody', async () => {
  configure({ pollMs: 600_000 });
  await news('A: Running | B: Running', A.watches('pipe'), B.watches('pipe', { as: 'other' }));
  await carryOut(fails('stop', 429));
  await news('-', pipeIs('Stopping'), write('stop the pipe'), pass(12), { pipe: 2 });
});

it('where reads are not kept, a subscription works, and neither requests nor first events see its reads', async () => {
  configure({ readCacheBytes: 0 });
  await news('A: Running', A.watches('pipe'));
  await news('Q: Running', Q.asks('pipe'));
  await news('Q: Running', Q.asks('pipe'), { calls: 3 });
  await news('A: Failed | B: Failed', pipeIs('Failed'), B.watches('pipe'), { calls: 4 });
});
it('where reads are not kept, since they are too large, an event reads what a poll has found changed', async () => {
  configure({ readCacheBytes: 65_536, filler: 20_000 });
  await news('A: Running', A.watches('pipe'));
  await news('-', pass(5.1), { pipe: 2 });
  await news('A: Failed', pipeIs('Failed'), { pipe: 4 });
});
it('where reads are not kept, since they are too large, subscribers do not wake one another for ever', async () => {
  configure({ readCacheBytes: 65_536, filler: 20_000, isChanging: true, pollMs: 600_000 });
  await news('A: Running | B: Running', A.watches('pipe'), B.watches('pipe'));
  await news('-', pass(10), { pipe: atMost(2) });
});

it('subscribers with different credentials get their error each, and the others stay', async () => {
  await carryOut(A.watches('pipe', { as: 'revoked' }));
  await news('A: Running | B: Running', B.watches('pipe'), { credentials: 2 });
  await carryOut(keyFails('revoked', 401));
  await news('A: null (UNAUTHENTICATED, credential refused); end: credential refused');
  await news('-', pass(10), { streams: 1, reads: 1, credentials: 1 });
});
it('subscribers with different credentials are shown nothing more once another call has found their credential revoked', async () => {
  configure({ pollMs: 600_000 });
  await news('A: Running', A.watches('pipe', { as: 'revoked' }));
  await carryOut(keyFails('revoked', 401), Q.asks('organization', { as: 'revoked' }));
  await news(
    'A: null (UNAUTHENTICATED, credential refused); end: credential refused | Q: null (UNAUTHENTICATED)',
  );
  await carryOut(B.watches('pipe', { as: 'revoked' }));
  await news('B: (UNAUTHENTICATED, credential refused); end: refused');
});

for (const [status, code] of failures) {
  it(`a failure that may pass is shown once it has lasted for 30 s; polls become rarer, and then go on: ${status}`, async () => {
    await news('A: Running', A.watches('pipe'));
    await news('-', fails('pipe', status), pass(30));
    await news(`A: null (${code})`, pass(10));
    await news('-', pass(40), { pipe: 5 });
    await news('A: Failed', works('pipe'), pipeIs('Failed'));
  });
}
it('a failure that may pass is not shown if it has passed before the next poll', async () => {
  configure({ pollMs: 3000 });
  await news('A: Running', A.watches('pipe'));
  await news('-', fails('pipe', 503), pass(22), works('pipe'), pass(60));
});
it('a failure that may pass goes at once when the upstream is up again', async () => {
  configure({ breakerFailures: 2 });
  await carryOut(A.watches('pipe'), B.watches('organization'));
  await news('A: Running | B: organization | C: service', C.watches('service', { as: 'other' }));
  await carryOut(fails('pipe', 503), fails('organization', 503), fails('service', 503), pass(120));
  await news(
    'A: null (UPSTREAM_UNAVAILABLE) | B: null (UPSTREAM_UNAVAILABLE) | C: null (UPSTREAM_UNAVAILABLE)',
  );
  await carryOut(works('pipe'), works('organization'));
  await news('A: Running | B: organization | C: service', works('service'), pass(3));
});
it('a failure that may pass is shown in a first event, and the data once it has passed', async () => {
  await news('A: null (UPSTREAM_UNAVAILABLE)', fails('pipe', 503), A.watches('pipe'));
  await news('A: Running', works('pipe'));
});
it('a failure that may pass is not shown of what a write has changed before that is known', async () => {
  configure({ pollMs: 1000, managementRate: undefined });
  await news('A: Running', A.watches('pipe'));
  await news('-', fails('pipe', 503), write('stop the pipe'), pass(3), { pipe: 3 });
  await news('A: Stopping', works('pipe'));
});
it('a failure that may pass is not tried again before something new is known', async () => {
  await carryOut(A.watches('services'));
  await news('A: [service [Running, Running, Running], service 2 [Running]]');
  await carryOut(fails('services', 503), write('scale the service'));
  await news('-', pipesAre('Stopped'), pass(10), { services: atMost(7) });
  await news('A: [service [Stopped, Stopped, Stopped], service 2 [Stopped]]', works('services'));
});
it('a failure that may pass is sent with a change where the client was shown as much before, and not twice', async () => {
  await carryOut(fails('backup', 503));
  await news('A: [Running, Running, Running] null (UPSTREAM_UNAVAILABLE)', A.watches('backup'));
  await news('A: [Failed, Running, Running] null (UPSTREAM_UNAVAILABLE)', pipeIs('Failed'));
  await news('A: [Running, Running, Running] null (UPSTREAM_UNAVAILABLE)', pipeIs('Running'));
  await news('-', pass(60));
  await news('A: [Running, Running, Running] 24', works('backup'));
});
it('a failure that may pass holds back an event for half a minute at most, where others have changed', async () => {
  await news('A: [OK dashboard]', A.watches('alerts'));
  await news('-', fails('dashboard d2', 500), addAlerts(1), pass(25));
  await news('A: [OK dashboard, OK null] (UPSTREAM_ERROR)', pass(15));
  await news('A: [ALERT dashboard, ALERT null] (UPSTREAM_ERROR)', alertsAre('ALERT'), pass(10));
  await news('A: [ALERT dashboard, ALERT dashboard]', works('dashboard d2'));
});
it('a failure that may pass has lasted, of a read that hangs, since that was sent, and is shown if the next poll is not answered in ten seconds either', async () => {
  await news('A: Running', A.watches('pipe'));
  await news('-', hangs('pipe'), pass(44.1), { pipe: 3 });
  await news('A: null (UPSTREAM_TIMEOUT) ready 0/1', pass(1.5));
});
it('a failure that may pass is not shown of a read that hung, and answers again', async () => {
  await news('A: Running', A.watches('pipe'));
  await news('-', hangs('pipe'), pass(20), works('pipe'), pass(40));
  await news('A: Stopped', pipeIs('Stopped'), pass(6));
});
it('a failure that may pass leaves the list of all pipes what it has', async () => {
  await news('A: [Running, Running, Running, Running] []', A.watches('all pipes'));
  await carryOut(fails('pipes of service 2', 503));
  await news('-', write('stop a pipe of service 2'), pipeIs('Failed', 1), pass(8));
  await news('A: [Running, Failed, Stopping, Stopping] []', works('pipes of service 2'));
});

const refusals = [
  [401, 'UNAUTHENTICATED', 'credential refused'],
  [403, 'FORBIDDEN', 'credential refused'],
  [404, 'NOT_FOUND', 'nothing to watch'],
] as const;
for (const [status, code, end] of refusals) {
  it(`a stream is ended by a ${status} of a poll, which is sent once and told to each subscriber`, async () => {
    await news('2 A: Running', A.watches('pipe', { times: 2 }));
    await carryOut(fails('pipe', status));
    await news(`2 A: null (${code}, ${end}); end: ${end}`, {
      streams: 0,
      reads: 0,
      credentials: 0,
      pipe: 2,
    });
  });
}
for (const [status, code, end] of refusals.slice(0, 2)) {
  it(`a stream is ended after its first event where a part of it is answered ${status}`, async () => {
    await carryOut(fails('service', status), A.watches('pipes'));
    await news(`A: [Running null, Running null, Running null] (${code}, ${end}); end: ${end}`);
  });
}
it('a stream is not ended after its first event where a part of it is answered 404', async () => {
  await carryOut(fails('service', 404), A.watches('pipes'));
  await news('A: [Running null, Running null, Running null] (NOT_FOUND)');
  await carryOut(pipesAre('Failed'));
  await news('A: [Failed null, Failed null, Failed null] (NOT_FOUND)', { service: 1 });
});
it('a stream is ended after its first event where that is answered 404', async () => {
  await carryOut(fails('pipe', 404), A.watches('pipe'));
  await news('A: null (NOT_FOUND, nothing to watch); end: nothing to watch', { reads: 0 });
});
it('a stream is ended with an event that says so, also where that event tells nothing else', async () => {
  await news('A: Running', A.watches('pipe'));
  await carryOut(fails('pipe', 401), B.watches('pipe', { anew: true }));
  await news(
    'A: null (UNAUTHENTICATED, credential refused); end: credential refused | B: null (UNAUTHENTICATED); null (UNAUTHENTICATED, credential refused); end: credential refused',
  );
});
it('a stream is ended after a minute in which nothing was ever answered', async () => {
  await carryOut(fails('service', 503));
  await news('A: null (UPSTREAM_UNAVAILABLE)', A.watches('service'), pass(55));
  await news('A: end: no answer', pass(6), { streams: 0, reads: 0, credentials: 0 });
});
it('a stream is ended when the gateway stops, also while it waits for its first event', async () => {
  await news('A: Running', A.watches('pipe'));
  await carryOut(hangs('pipes'));
  await news('A: end: gateway stops | B: end: gateway stops', B.watches('pipes'), gatewayStops);
});

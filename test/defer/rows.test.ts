import { it } from 'vitest';
import {
  A,
  B,
  C,
  carryOut,
  configure,
  D,
  fails,
  hangs,
  news,
  pass,
  Q,
  works,
} from '../support/live-rows.ts';

const times = { operationTimeoutMs: 2000, deferTimeoutMs: 20_000 };
const invented = Array.from({ length: 10 }, (_, key) =>
  A.takes('pipe and later its service', { times: 20, as: `invented${key}` }),
);

it('the parts of a response that are deferred come after OPERATION_TIMEOUT_MS too, each as soon as its read is there', async () => {
  configure(times);
  await carryOut(hangs('pipes'));
  await news('A: [service, service 2]', hangs('pipes of service 2'), A.takes('page'));
  await news('-', pass(3));
  await news('A: 1: [Running]', works('pipes of service 2'));
  await news('A: 0: [Running, Running, Running]; end', works('pipes'), { calls: 3 });
});
it('the parts of a response that are deferred come with UPSTREAM_TIMEOUT when DEFER_TIMEOUT_MS is over', async () => {
  configure(times);
  await carryOut(hangs('pipes'));
  await news('A: [service, service 2]', hangs('pipes of service 2'), A.takes('page'));
  await news('A: 1: [Running]', pass(3), works('pipes of service 2'));
  await news('A: empty', pass(16));
  await news('A: 0: null (UPSTREAM_TIMEOUT); end', pass(1.5));
});
it('the parts of a response that are deferred whose slots come only after DEFER_TIMEOUT_MS say so at once', async () => {
  configure({ managementRate: { calls: 1, windowMs: 40_000 }, deferTimeoutMs: 60_000 });
  await news('A: [service, service 2] ready 1/3; 1: null (RATE_LIMITED)', A.takes('page'));
  await news('A: empty; empty', pass(31));
  await news('A: 0: [Running, Running, Running]; end', pass(12));
});
it('the parts of a response that are deferred have no less time than the operation', async () => {
  configure({ operationTimeoutMs: 2000, deferTimeoutMs: 500 });
  await carryOut(hangs('pipes'));
  await news('A: [service, service 2]', hangs('pipes of service 2'), A.takes('page'));
  await carryOut(pass(1.9), works('pipes'));
  await news('A: 0: [Running, Running, Running]; 1: [Running]; end', works('pipes of service 2'));
});
it('the parts of a response that are deferred are given up when their caller leaves, and no timer goes on', async () => {
  configure({
    managementRate: { calls: 1, windowMs: 60_000 },
    deferTimeoutMs: 600_000,
    readCacheBytes: 0,
  });
  await news('A: [service, service 2]', A.takes('page'));
  await news('-', pass(2), A.leaves, pass(5), { timers: 0 });
  await news('-', pass(120), { calls: 1 });
});
it('the parts of a response that are deferred are given up when their caller leaves, and no timer goes on, by events', async () => {
  configure({
    managementRate: { calls: 1, windowMs: 60_000 },
    deferTimeoutMs: 600_000,
    readCacheBytes: 0,
  });
  await news('A: [service, service 2]', A.takes('page', { by: 'events' }));
  await news('-', pass(2), A.leaves, pass(5), { timers: 0 });
  await news('-', pass(120), { calls: 1 });
});
it('the parts of a response that are deferred are not sent for a caller who has left', async () => {
  configure({ managementRate: { calls: 2, windowMs: 10_000 } });
  await news('A: [service, service 2]; 0: [Running, Running, Running]', A.takes('page'));
  await carryOut(A.leaves, pass(60), Q.asks('organization'));
  await news('Q: organization', { callList: ['services', 'pipes', 'organization'] });
});
it('the parts of a response that are deferred leave OPERATION_TIMEOUT_MS to the first part', async () => {
  configure(times);
  await carryOut(hangs('backup'));
  await news('-', hangs('pipes'), hangs('pipes of service 2'), A.takes('page and backup'));
  await news('A: [service, service 2] null (UPSTREAM_TIMEOUT) ready 1/4', pass(2));
  await carryOut(works('pipes'));
  await news('A: 0: [Running, Running, Running]; 1: [Running]; end', works('pipes of service 2'));
});
it('the parts of a response that are deferred leave it to a field of the first part, though a deferred part has begun its read before', async () => {
  configure(times);
  await carryOut(hangs('organizations'), hangs('pipes'));
  await news('-', hangs('pipes of service 2'), A.takes('page and pipes of service 2'));
  await news('A: [service, service 2] [null] (UPSTREAM_TIMEOUT)', works('organizations'), pass(2));
  await carryOut(works('pipes'), works('pipes of service 2'));
  await news('A: 0: [Running, Running, Running]; 1: [Running]; end', { calls: 4 });
});
it('the parts of a response that are deferred come in one response to a client that takes no parts, within OPERATION_TIMEOUT_MS', async () => {
  configure(times);
  await news('-', hangs('pipes'), A.takes('page', { by: 'JSON' }));
  await news('A: [service null, service 2 [Running]] (UPSTREAM_TIMEOUT) ready 2/3', pass(2));
});
it('the parts of a response that are deferred may be the pipes of all services, which say what they lack', async () => {
  await carryOut(hangs('pipes'), fails('pipes of service 2', 424));
  await news('A: organization', A.takes('organization and later its pipes'));
  await carryOut(works('pipes'));
  await news('A: organization: [Running, Running, Running] [SERVICE_NOT_RUNNING]; end', {
    calls: 4,
  });
});
it('the parts of a response that are deferred come 20 at a time for a credential; a further response comes whole', async () => {
  await carryOut(hangs('service'));
  await news('20 A: Running', A.takes('pipe and later its service', { times: 20, as: 'one' }));
  await carryOut(B.takes('pipe and later its service', { as: 'one' }));
  await news('C: Running', C.takes('pipe and later its service', { as: 'other' }), { service: 2 });
  await carryOut(works('service'));
  await news('20 A: root: service; end | B: Running service | C: root: service; end');
  await carryOut(D.takes('pipe and later its service', { as: 'one' }));
  await news('D: Running; root: service; end');
});
it('the parts of a response that are deferred come for a credential that was accepted, and for no other, while two hundred with invented ones wait', async () => {
  await news('Q: organization', Q.asks('organization', { as: 'known' }));
  await news('-', hangs('pipe'), hangs('service'), ...invented);
  await carryOut(B.takes('page', { as: 'known' }), C.takes('page', { as: 'new' }));
  await news(
    'B: [service, service 2]; …; end | C: [service [Running, Running, Running], service 2 [Running]]',
  );
});
it('the parts of a response that are deferred come with an empty one before each after 15 s, so that proxies keep the connection', async () => {
  await carryOut(hangs('pipes'));
  await news('A: [service, service 2]', hangs('pipes of service 2'), A.takes('page'));
  await news('-', pass(14.9));
  await news('A: empty', pass(0.2));
  await news('-', pass(7.5));
  await carryOut(works('pipes'));
  await news('A: 0: [Running, Running, Running]; 1: [Running]; end', works('pipes of service 2'));
});

it('the calls of later parts are sent after those of every other read that waits, and no sooner for having come first', async () => {
  configure({ managementRate: { calls: 1, windowMs: 1000 } });
  await news('A: [service, service 2]', A.takes('page'));
  await news('Q: organization', Q.asks('organization'));
  await news('A: 0: [Running, Running, Running]; 1: [Running]; end', {
    callList: ['services', 'organizations', 'pipes', 'pipes of service 2'],
  });
});
it('the calls of later parts are raised while they wait, where a field that is not deferred comes to need the same', async () => {
  configure({ managementRate: { calls: 1, windowMs: 1000 } });
  await news('Q: [service, service 2]', Q.asks('names of services'));
  await carryOut(A.takes('page and pipes of service 2'));
  await news('A: [service, service 2] [[pipe 2]]; …; end', {
    callList: ['services', 'organizations', 'pipes of service 2', 'pipes'],
  });
});

it('a mutation has answered before what is deferred below its payload is read', async () => {
  await news('A: pipe 0 []', hangs('service'), A.takes('stop the pipe and look'));
  await news('A: pipe: service; end', works('service'));
});
it('a mutation leaves what is deferred below its payload as much time as a later mutation of the operation', async () => {
  configure({ operationTimeoutMs: 2000, deferTimeoutMs: 1000, writeTimeoutMs: 60_000 });
  await news('-', hangs('stop 1'), hangs('service'), A.takes('stop two pipes and look'), pass(10));
  await news('A: pipe 0 [] []', works('stop 1'));
  await news('A: pipe: service; end', works('service'));
});
it('a mutation that is refused says so in its first part, and has no other', async () => {
  await carryOut(fails('stop', 409));
  await news('A: null [CONFLICT]', A.takes('stop the pipe and look'), { calls: 1 });
});

import { describe } from 'vitest';
import { rows } from '../support/live-rows.ts';

describe('the parts of a response that are deferred', () => {
  const invented = Array.from(
    { length: 10 },
    (_, key) => `20 A take pipe and later its service as invented${key}`,
  ).join(', ');
  const times = 'operationTimeoutMs 2000, deferTimeoutMs 20000';
  rows(`
  come after OPERATION_TIMEOUT_MS too, each as soon as its read is there (${times})
    pipes: hangs, pipes of service 2: hangs, A takes page -> A: [service, service 2]
    3 s -> -
    pipes of service 2: ok -> A: 1: [Running]
    pipes: ok -> A: 0: [Running, Running, Running]; end / calls 3
  come with UPSTREAM_TIMEOUT when DEFER_TIMEOUT_MS is over (${times})
    pipes: hangs, pipes of service 2: hangs, A takes page -> A: [service, service 2]
    3 s, pipes of service 2: ok -> A: 1: [Running]
    16 s -> A: empty
    1.5 s -> A: 0: null (UPSTREAM_TIMEOUT); end
  whose slots come only after DEFER_TIMEOUT_MS say so at once (managementRate 1/40000, deferTimeoutMs 60000)
    A takes page -> A: [service, service 2] ready 1/3; 1: null (RATE_LIMITED)
    31 s -> A: empty; empty
    12 s -> A: 0: [Running, Running, Running]; end
  have no less time than the operation (operationTimeoutMs 2000, deferTimeoutMs 500)
    pipes: hangs, pipes of service 2: hangs, A takes page -> A: [service, service 2]
    1.9 s, pipes: ok, pipes of service 2: ok ->
      A: 0: [Running, Running, Running]; 1: [Running]; end
  are given up when their caller leaves, and no timer goes on (managementRate 1/60000, deferTimeoutMs 600000, readCacheBytes 0)
    A takes page -> A: [service, service 2]
    2 s, A leaves, 5 s -> - / timers 0
    120 s -> - / calls 1
  are given up when their caller leaves, and no timer goes on, by events (managementRate 1/60000, deferTimeoutMs 600000, readCacheBytes 0)
    A takes page by events -> A: [service, service 2]
    2 s, A leaves, 5 s -> - / timers 0
    120 s -> - / calls 1
  are not sent for a caller who has left (managementRate 2/10000)
    A takes page -> A: [service, service 2]; 0: [Running, Running, Running]
    A leaves, 60 s, Q asks organization -> Q: organization / calls: services > pipes > organization
  leave OPERATION_TIMEOUT_MS to the first part (${times})
    backup: hangs, pipes: hangs, pipes of service 2: hangs, A takes page and backup -> -
    2 s -> A: [service, service 2] null (UPSTREAM_TIMEOUT) ready 1/4
    pipes: ok, pipes of service 2: ok ->
      A: 0: [Running, Running, Running]; 1: [Running]; end
  leave it to a field of the first part, though a deferred part has begun its read before (${times})
    organizations: hangs, pipes: hangs, pipes of service 2: hangs,
      A takes page and pipes of service 2 -> -
    organizations: ok, 2 s -> A: [service, service 2] [null] (UPSTREAM_TIMEOUT)
    pipes: ok, pipes of service 2: ok ->
      A: 0: [Running, Running, Running]; 1: [Running]; end / calls 4
  come in one response to a client that takes no parts, within OPERATION_TIMEOUT_MS (${times})
    pipes: hangs, A takes page by JSON -> -
    2 s -> A: [service null, service 2 [Running]] (UPSTREAM_TIMEOUT) ready 2/3
  may be the pipes of all services, which say what they lack
    pipes: hangs, pipes of service 2: 424, A takes organization and later its pipes -> A: organization
    pipes: ok -> A: organization: [Running, Running, Running] [SERVICE_NOT_RUNNING]; end / calls 4
  come 20 at a time for a credential; a further response comes whole
    service: hangs, 20 A take pipe and later its service as one -> 20 A: Running
    B takes pipe and later its service as one, C takes pipe and later its service as other ->
      C: Running / service 2
    service: ok -> 20 A: root: service; end | B: Running service | C: root: service; end
    D takes pipe and later its service as one -> D: Running; root: service; end
  come for a credential that was accepted, and for no other, while two hundred with invented ones wait
    Q asks organization as known -> Q: organization
    pipe: hangs, service: hangs, ${invented} -> -
    B takes page as known, C takes page as new ->
      B: [service, service 2]; …; end |
      C: [service [Running, Running, Running], service 2 [Running]]
  come with an empty one before each after 15 s, so that proxies keep the connection
    pipes: hangs, pipes of service 2: hangs, A takes page -> A: [service, service 2]
    14.9 s -> -
    0.2 s -> A: empty
    7.5 s -> -
    pipes: ok, pipes of service 2: ok ->
      A: 0: [Running, Running, Running]; 1: [Running]; end
  `);
});

describe('the calls of later parts', () => {
  rows(`
  are sent after those of every other read that waits, and no sooner for having come first (managementRate 1/1000)
    A takes page -> A: [service, service 2]
    Q asks organization -> Q: organization
    -> A: 0: [Running, Running, Running]; 1: [Running]; end /
      calls: services > organizations > pipes > pipes of service 2
  are raised while they wait, where a field that is not deferred comes to need the same (managementRate 1/1000)
    Q asks names of services -> Q: [service, service 2]
    A takes page and pipes of service 2 ->
      A: [service, service 2] [[pipe 2]]; …; end /
      calls: services > organizations > pipes of service 2 > pipes
  `);
});

describe('a mutation', () => {
  rows(`
  has answered before what is deferred below its payload is read
    service: hangs, A takes stop the pipe and look -> A: pipe 0 []
    service: ok -> A: pipe: service; end
  leaves what is deferred below its payload as much time as a later mutation of the operation (operationTimeoutMs 2000, deferTimeoutMs 1000, writeTimeoutMs 60000)
    stop 1: hangs, service: hangs, A takes stop two pipes and look, 10 s -> -
    stop 1: ok -> A: pipe 0 [] []
    service: ok -> A: pipe: service; end
  that is refused says so in its first part, and has no other
    stop: 409, A takes stop the pipe and look -> A: null [CONFLICT] / calls 1
  `);
});

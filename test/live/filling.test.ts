import { it, vi } from 'vitest';
import {
  A,
  atLeast,
  atMost,
  B,
  between,
  carryOut,
  configure,
  fails,
  fleetPipeIs,
  hangs,
  keyFails,
  keyWorks,
  news,
  pass,
  Q,
  works,
  write,
} from '../support/live-rows.ts';

vi.mock('node:timers/promises', () => import('../support/upstream/timers-promises.ts'));

const limited = (shown: string, ready: number, wanted: number) =>
  `${shown} of ${wanted - 1} (RATE_LIMITED) ready ${ready}/${wanted}`;
const changed = (shown: string, ready: number) =>
  `${shown} of 99: [Running] [Stopped] (RATE_LIMITED) ready ${ready}/100`;
const begun = limited('1-7', 8, 41);
const next = `${limited('1-15', 16, 41)}; ${limited('1-23', 24, 41)}`;
const unread = [
  [424, 'SERVICE_NOT_RUNNING', 'RATE_LIMITED, SERVICE_NOT_RUNNING'],
  [500, 'UPSTREAM_ERROR', 'RATE_LIMITED, UPSTREAM_ERROR'],
  [404, 'NOT_FOUND', 'NOT_FOUND, RATE_LIMITED'],
  // A success that is no list.
  [202, 'UPSTREAM_BAD_RESPONSE', 'RATE_LIMITED, UPSTREAM_BAD_RESPONSE'],
] as const;

it('a subscription that needs more calls than fit the time of an event shows what there is, then more and more, each read sent once for all who watch or ask, and is polled when it is whole', async () => {
  configure({ services: 40 });
  await news(`A: ${begun} | B: ${begun}`, A.watches('fleet'), B.watches('fleet'), Q.asks('fleet'));
  await carryOut(pass(25));
  await news(`A: ${next} | B: ${next} | Q: 1-23 of 40 (RATE_LIMITED) ready 24/41`);
  await news(
    `A: ${limited('1-31', 32, 41)}; 1-40 of 40 | B: ${limited('1-31', 32, 41)}; 1-40 of 40`,
    { calls: 41 },
  );
  await news('-', pass(50), { calls: between(53, 59) });
});
it('a subscription that needs more calls than fit the time of an event leaves other streams of the credential their polls', async () => {
  configure({ services: 99 });
  await news('A: organization', A.watches('organization'));
  await carryOut(B.watches('fleet'), pass(30));
  await news(
    `B: ${limited('1-6', 7, 100)}; ${limited('1-13', 14, 100)}; ${limited('1-20', 21, 100)}`,
  );
  await carryOut(pass(90));
  await news(`B: ${limited('1-27', 28, 100)}; …; ${limited('1-83', 84, 100)}`, {
    organization: atLeast(8),
  });
  await news(`B: ${limited('1-90', 91, 100)}; 1-99 of 99`);
});
it('a subscription that needs more calls than fit the time of an event shows a change that is made meanwhile, and nothing that it has shown is missing until then', async () => {
  configure({ services: 99 });
  await carryOut(A.watches('fleet'));
  await news(`A: ${limited('1-7', 8, 100)}; …; ${limited('1-31', 32, 100)}`, pass(33));
  await carryOut(write('stop the pipe of service 3'));
  await news('Q: [Running]', fleetPipeIs('Stopped', 3), Q.asks('service 90'));
  await carryOut(pass(13));
  await news(`A: ${changed('1-31 90', 33)}; ${changed('1-36 90', 38)}; ${changed('1-38 90', 40)}`, {
    'pipes 3': 2,
  });
});
it('a subscription that needs more calls than fit the time of an event goes on while a read takes long', async () => {
  configure({ services: 60 });
  await news(`A: ${limited('1-7', 8, 61)}`, hangs('pipes 26'), A.watches('fleet'));
  await news(`A: ${limited('1-15', 16, 61)}; …; ${limited('1-25 27-38', 38, 61)}`, pass(45));
  await news(`A: ${limited('1-38', 39, 61)}; …; 1-60 of 60`, works('pipes 26'), { calls: 62 });
});
it('a subscription that needs more calls than fit the time of an event gets also what was read last, while a write of it failed', async () => {
  configure({ services: 8, managementRate: { calls: 2, windowMs: 10_000 } });
  await carryOut(hangs('pipes 8'));
  await news(`A: ${limited('1', 2, 9)}; …; ${limited('1-7', 8, 9)}`, A.watches('fleet'), pass(45));
  await carryOut(fails('stop of service 8', 403), write('stop the pipe of service 8'));
  await news('A: 1-8 of 8', works('pipes 8'), { 'stop of service 8': 1 });
});
it('a subscription that needs more calls than fit the time of an event is read on for a minute at most when the subscriber has left', async () => {
  configure({ services: 99 });
  await news(`A: ${limited('1-7', 8, 100)}`, A.watches('fleet'));
  await carryOut(pass(28), A.leaves);
  await news(`A: ${limited('1-15', 16, 100)}; ${limited('1-23', 24, 100)}; end: client left`);
  await news('-', pass(120), { calls: atMost(72), streams: 0, reads: 0, credentials: 0 });
});
it('a subscription that needs more calls than fit the time of an event does not take all calls where answers do not fit into memory', async () => {
  configure({ services: 40, readCacheBytes: 40_000 });
  await news('…', A.watches('fleet'), pass(200), { 'pipes 1': atLeast(1), 'pipes 40': atLeast(1) });
  await news('…', pass(400), { 'pipes 1': atLeast(3), 'pipes 40': atLeast(2), calls: atMost(300) });
});

for (const [status, code, codes] of unread) {
  it(`what fails for another reason than its turn counts as read: ${code}`, async () => {
    configure({ services: 8, managementRate: { calls: 2, windowMs: 10_000 } });
    await carryOut(fails('pipes 1', status));
    await news(`A: none of 8 (${codes}) ready 2/9`, fails('pipes 8', status), A.watches('fleet'));
    await news(`A: 2-3 of 8 (${codes}) ready 4/9; 2-5 of 8 (${codes}) ready 6/9`);
    await news(`A: 2-7 of 8 (${codes}) ready 8/9`);
    await news(`A: 2-7 of 8 (${code})`, { calls: 10 });
  });
}
it('what fails for another reason than its turn is no news where it only comes in another order', async () => {
  configure({ services: 2 });
  await news('-', hangs('pipes 1'), fails('pipes 2', 500), A.watches('fleet'), pass(0.5));
  await news('A: [null, null] (UPSTREAM_ERROR)', fails('pipes 1', 500));
  await news('-', pass(80), { 'pipes 1': atLeast(3) });
});
it('what fails for another reason than its turn is what keeps the rest from being read while the upstream is down', async () => {
  configure({ services: 40, breakerFailures: 5 });
  await carryOut(A.watches('fleet', { as: 'key' }));
  await news(`A: ${begun}; ${next}`, pass(25));
  await carryOut(keyFails('key', 503), pass(45));
  await news(
    'A: 1-23 of 40 (RATE_LIMITED, UPSTREAM_UNAVAILABLE) ready 32/41; 1-23 of 40 (UPSTREAM_UNAVAILABLE)',
  );
  await news('A: 1-23 29 of 40 (UPSTREAM_UNAVAILABLE); …; 1-40 of 40', keyWorks('key'));
});

it('where nothing is read on, an event waits for its reads, and tells of no progress: without a memory', async () => {
  configure({ services: 40, readCacheBytes: 0 });
  await news('A: 1-23 of 40 (RATE_LIMITED)', A.watches('fleet'));
  await news('A: 1-40 of 40', { calls: atMost(45) });
});

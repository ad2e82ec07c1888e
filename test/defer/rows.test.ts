import { describe } from 'vitest';
import { events } from '../support/in-parts.ts';
import {
  answers,
  calledInOrder,
  caller,
  countsCalls,
  countsTimers,
  fails,
  hangs,
  passes,
  plays,
  tells,
  tellsNow,
} from '../support/live-rows.ts';

const [a, b, c] = [caller('A'), caller('B'), caller('C')];
const [d, q] = [caller('D'), caller('Q')];

describe('the parts of a response that are deferred', () => {
  const times = { operationTimeoutMs: 2000, deferTimeoutMs: 20_000 };
  const hanging = hangs('pipes', 'pipes of service 2');
  const names = 'A: [service, service 2]';
  const all = 'A: 0: [Running, Running, Running]';

  plays(
    ...(['come after OPERATION_TIMEOUT_MS too, each as soon as its read is there', times] as const),
    ...[hanging, a.takes('page'), tells(names), passes(3), tellsNow()],
    ...[answers('pipes of service 2'), tells('A: 1: [Running]')],
    ...[answers('pipes'), tells(`${all}; end`), countsCalls(3)],
  );
  plays(
    ...(['come with UPSTREAM_TIMEOUT when DEFER_TIMEOUT_MS is over', times] as const),
    ...[hanging, a.takes('page'), tells(names)],
    ...[passes(3), answers('pipes of service 2'), tells('A: 1: [Running]')],
    ...[passes(16), tellsNow('A: empty')],
    ...[passes(1.5), tellsNow('A: 0: null (UPSTREAM_TIMEOUT); end')],
  );
  plays(
    'whose slots come only after DEFER_TIMEOUT_MS say so at once',
    { managementRate: { calls: 1, windowMs: 40_000 }, deferTimeoutMs: 60_000 },
    ...[a.takes('page'), tells(`${names} ready 1/3; 1: null (RATE_LIMITED)`)],
    ...[passes(31), tellsNow('A: empty; empty'), passes(12), tellsNow(`${all}; end`)],
  );
  plays(
    'have no less time than the operation',
    { operationTimeoutMs: 2000, deferTimeoutMs: 500 },
    ...[hanging, a.takes('page'), tells(names), passes(1.9)],
    ...[answers('pipes', 'pipes of service 2'), tells(`${all}; 1: [Running]; end`)],
  );
  for (const [way, accept] of [
    ['in parts', {}],
    ['by events', { accept: events }],
  ] as const) {
    plays(
      `are given up when their caller leaves, and no timer goes on, ${way}`,
      {
        ...{ managementRate: { calls: 1, windowMs: 60_000 }, deferTimeoutMs: 600_000 },
        readCacheBytes: 0,
      },
      ...[a.takes('page', accept), tells(names), passes(2), a.leaves(), passes(5), tellsNow()],
      ...[countsTimers(0), passes(120), tellsNow(), countsCalls(1)],
    );
  }
  plays(
    'are not sent for a caller who has left',
    { managementRate: { calls: 2, windowMs: 10_000 } },
    ...[a.takes('page'), tells(`${names}; 0: [Running, Running, Running]`), a.leaves(), passes(60)],
    ...[q.asks('organization'), tells('Q: organization')],
    calledInOrder('services', 'pipes', 'organization'),
  );
  plays(
    ...(['leave OPERATION_TIMEOUT_MS to the first part', times] as const),
    ...[hangs('backup'), hanging, a.takes('page and backup'), tells(), passes(2)],
    tellsNow(`${names} null (UPSTREAM_TIMEOUT) ready 1/4`),
    ...[answers('pipes', 'pipes of service 2'), tells(`${all}; 1: [Running]; end`)],
  );
  plays(
    'leave it to a field of the first part, though a deferred part has begun its read before',
    ...[times, hangs('organizations'), hanging, a.takes('page and pipes of service 2'), tells()],
    ...[answers('organizations'), passes(2), tellsNow(`${names} [null] (UPSTREAM_TIMEOUT)`)],
    ...[answers('pipes', 'pipes of service 2'), tells(`${all}; 1: [Running]; end`), countsCalls(4)],
  );
  plays(
    'come in one response to a client that takes no parts, within OPERATION_TIMEOUT_MS',
    ...[times, hangs('pipes'), a.takes('page', { accept: 'application/json' }), tells(), passes(2)],
    tellsNow('A: [service null, service 2 [Running]] (UPSTREAM_TIMEOUT) ready 2/3'),
  );
  plays(
    'may be the pipes of all services, which say what they lack',
    ...[{}, hangs('pipes'), fails('pipes of service 2', 424)],
    ...[a.takes('organization and later its pipes'), tells('A: organization'), answers('pipes')],
    tells('A: organization: [Running, Running, Running] [SERVICE_NOT_RUNNING]; end'),
    countsCalls(4),
  );
  const later = 'pipe and later its service';
  const one = { key: 'one' };
  plays(
    'come 20 at a time for a credential; a further response comes whole',
    ...[{}, hangs('service'), a.takes(later, { count: 20, ...one }), tells('20 A: Running')],
    ...[b.takes(later, one), c.takes(later, { key: 'other' }), tells('C: Running')],
    answers('service'),
    tells('20 A: root: service; end', 'B: Running service', 'C: root: service; end'),
    ...[d.takes(later, one), tells('D: Running; root: service; end')],
  );
  plays(
    'come for a credential that was accepted, and for no other, while two hundred with invented ones wait',
    ...[{}, q.asks('organization', { key: 'known' }), tells('Q: organization')],
    hangs('pipe', 'service'),
    ...Array.from({ length: 10 }, (_, at) => a.takes(later, { count: 20, key: `invented${at}` })),
    ...[tells(), b.takes('page', { key: 'known' }), c.takes('page', { key: 'new' })],
    tells(
      'B: [service, service 2]; …; end',
      'C: [service [Running, Running, Running], service 2 [Running]]',
    ),
  );
  plays(
    'come with an empty one before each after 15 s, so that proxies keep the connection',
    ...[{}, hanging, a.takes('page'), tells(names), passes(14.9), tellsNow()],
    ...[passes(0.2), tellsNow('A: empty'), passes(7.5), tellsNow()],
    ...[answers('pipes', 'pipes of service 2'), tells(`${all}; 1: [Running]; end`)],
  );

  const slow = { managementRate: { calls: 1, windowMs: 1000 } };
  plays(
    'have calls that are sent after those of every other read that waits',
    ...[slow, a.takes('page'), tells(names), q.asks('organization'), tells('Q: organization')],
    ...[tells(`${all}; 1: [Running]; end`)],
    calledInOrder('services', 'organizations', 'pipes', 'pipes of service 2'),
  );
  plays(
    'have calls that are raised, where a field that is not deferred comes to need the same',
    ...[slow, q.asks('names of services'), tells('Q: [service, service 2]')],
    ...[a.takes('page and pipes of service 2'), tells(`${names} [[pipe 2]]; …; end`)],
    calledInOrder('services', 'organizations', 'pipes of service 2', 'pipes'),
  );
});

describe('a mutation', () => {
  const [one, two] = ['stop the pipe and look', 'stop two pipes and look'] as const;
  plays(
    'has answered before what is deferred below its payload is read',
    ...[{}, hangs('service'), a.takes(one), tells('A: pipe 0 []')],
    ...[answers('service'), tells('A: pipe: service; end')],
  );
  plays(
    'leaves what is deferred below its payload as much time as a later mutation of the operation',
    { operationTimeoutMs: 2000, deferTimeoutMs: 1000, writeTimeoutMs: 60_000 },
    ...[hangs('stop 1', 'service'), a.takes(two), passes(10), tellsNow()],
    ...[answers('stop 1'), tells('A: pipe 0 [] []')],
    ...[answers('service'), tells('A: pipe: service; end')],
  );
  plays(
    'that is refused says so in its first part, and has no other',
    ...[{}, fails('stop', 409), a.takes(one), tells('A: null [CONFLICT]'), countsCalls(1)],
  );
});

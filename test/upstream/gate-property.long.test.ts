import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { createSlotLog, type LocalSlotLog, type SlotLog } from '../../src/upstream/gate/slots.ts';
import { isBackground, type Priority, priorities } from '../../src/upstream/priority.ts';
import { runsOf } from '../support/random/runs.ts';
import { answerOf } from '../support/upstream/calls.ts';
import { pass, reasonOf, secondsOf, startGate, type Told, useGateTime } from './gate-world.ts';

useGateTime();

const limits = { connections: 8, maxWaiting: 8, waitMs: 25_000 };
const windowMs = 10_000;
const share = 2;
const unprovenMost = 6;
const now = (): number => performance.now();

/** A call, and when its slot is free again once it has ended. */
interface Known {
  readonly told: Told;
  readonly since: number;
  freeAt?: number;
  state: 'waiting' | 'under way' | 'ended';
}

const which = fc.nat();
const ms = fc.nat(12_000);
const action = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant('call' as const),
      credential: fc.constantFrom('proven1', 'proven2', 'a', 'b', 'c', 'd', 'e'),
      // The turns of tools depend on what was sent before; `gate.test.ts` has them.
      priority: fc.constantFrom(...priorities.filter((each) => each !== 'tool')),
      patience: fc.option(fc.nat(30_000), { nil: Infinity }),
      times: fc.integer({ min: 1, max: 3 }),
    }),
  },
  fc.record({ does: fc.constantFrom('answer', 'fail', 'never sent', 'leave'), which }),
  fc.record({
    does: fc.constant('hold' as const),
    which,
    seconds: fc.integer({ min: 1, max: 20 }),
  }),
  fc.record({ does: fc.constant('pass' as const), ms }),
  fc.record({
    does: fc.constant('prove' as const),
    credential: fc.constantFrom('proven1', 'a'),
  }),
  fc.record({ does: fc.constant('breaker' as const), state: fc.constantFrom('open', 'closed') }),
);
type Action = typeof action extends fc.Arbitrary<infer Value> ? Value : never;

/** A gate with this number of slots, and what has to be true of it: which calls may be under way, and which have to wait. */
const startModel = (most: number, logOf?: () => SlotLog) => {
  const settle = (): void => undefined;
  const breaker = {
    state: 'closed' as 'open' | 'closed',
    retryAfterSeconds: 3,
    allow: () => (breaker.state === 'closed' ? settle : undefined),
  };
  const proven = new Set(['proven1', 'proven2']);
  const rate = { calls: most, windowMs };
  const world = startGate({ ...limits, rate, breaker, proven: [...proven], logOf });
  const calls: Known[] = [];
  const heldUntil = new Map<string, number>();
  /** Operations one of whose reads was refused: they cannot be whole in time. */
  const late = new Set<object>();
  const reserve = Math.floor(most / 5);

  const credentialOf = ({ told }: Known): string => told.call.credential;
  const allIn = (state: Known['state'], credential?: string): readonly Known[] =>
    calls.filter(
      (call) => call.state === state && (credential ?? credentialOf(call)) === credentialOf(call),
    );
  const unproven = (some: readonly Known[]) =>
    some.filter((call) => !proven.has(credentialOf(call)));
  const isHeld = (credential: string): boolean => (heldUntil.get(credential) ?? 0) > now();
  const freeSlots = (credential: string): number => {
    const used = allIn('ended', credential).filter(({ freeAt = 0 }) => freeAt > now());
    return isHeld(credential) ? 0 : most - used.length - allIn('under way', credential).length;
  };
  /** Refreshes and renewals go by age, and all are of one age here. */
  const rankOf = (priority: Priority): number =>
    priorities.indexOf(priority === 'renewal' ? 'refresh' : priority);
  /** Whether it leaves slots free: what may come later, the reads of late operations, and refreshes. */
  const isLow = ({ told: { call } }: Known): boolean =>
    call.priority === 'read' ? late.has(call.caller) : call.priority !== 'write';
  const placeOf = (call: Known): number =>
    rankOf(call.told.call.priority) + (isLow(call) ? priorities.length : 0);
  const hasConnection = (credential: string): boolean =>
    allIn('under way').length < limits.connections &&
    allIn('under way', credential).length < share &&
    (proven.has(credential) || unproven(allIn('under way')).length < unprovenMost);
  const hasSlot = (call: Known): boolean =>
    freeSlots(credentialOf(call)) > (isLow(call) ? reserve : 0);
  /** Until when it waits: only what a request waits for is refused after the longest wait. */
  const untilOf = ({ told: { call }, since }: Known): number =>
    call.priority === 'deferred' || isBackground(call.priority)
      ? call.latest
      : Math.min(call.latest, since + limits.waitMs);

  /** Takes note of what has become of calls, and compares it with what is to be. */
  const compare = (): void => {
    const sent = allIn('waiting').filter(({ told }) => told.sent);
    const ended = allIn('waiting').filter(({ told }) => told.outcome !== undefined);
    for (const call of sent) call.state = 'under way';
    for (const call of ended) call.state = 'ended';
    // What was sent was sent before its operation was found to be late, or after.
    const wereLow = new Set(sent.filter(isLow));
    for (const { told } of ended) {
      if (told.call.priority === 'read' && reasonOf(told) === 'no-slot') late.add(told.call.caller);
    }
    const underWay = allIn('under way');
    expect(underWay.length).toBeLessThanOrEqual(limits.connections);
    if (sent.length > 0) expect(breaker.state).toBe('closed');
    for (const call of sent) {
      const credential = credentialOf(call);
      const isLast = wereLow.has(call);
      expect(allIn('under way', credential).length).toBeLessThanOrEqual(share);
      expect(freeSlots(credential)).toBeGreaterThanOrEqual(isLast ? reserve : 0);
      expect(isHeld(credential)).toBe(false);
      if (!proven.has(credential)) {
        expect(unproven(underWay).length).toBeLessThanOrEqual(unprovenMost);
      }
      // Nothing of the credential goes before what has a better place.
      const place = isLast ? placeOf(call) : rankOf(call.told.call.priority);
      for (const other of allIn('waiting', credential)) {
        expect(place).toBeLessThanOrEqual(placeOf(other));
      }
    }
    for (const call of ended) {
      const reason = reasonOf(call.told);
      expect(['no-slot', 'queue-full', 'circuit-open', 'aborted']).toContain(reason);
      if (reason === 'no-slot') {
        const seconds = secondsOf(call.told) ?? 0;
        expect(Number.isInteger(seconds) && now() + seconds * 1000 > untilOf(call)).toBe(true);
      }
      if (reason === 'circuit-open') expect(breaker.state).not.toBe('closed');
    }
    // Nothing waits that could be sent, or while the breaker is open.
    expect(breaker.state === 'closed' || allIn('waiting').length === 0).toBe(true);
    for (const call of allIn('waiting')) {
      expect([hasSlot(call), hasConnection(credentialOf(call))]).not.toEqual([true, true]);
    }
  };

  /** One of the calls under way ends. */
  const end = (at: number, freeInMs: number, how: (call: Known) => void): void => {
    const underWay = allIn('under way');
    const call = underWay[at % underWay.length];
    if (!call) return;
    how(call);
    Object.assign(call, { state: 'ended', freeAt: now() + freeInMs });
  };
  const act = (each: Action): unknown => {
    switch (each.does) {
      case 'call': {
        const { credential, priority, times } = each;
        const latest = now() + each.patience;
        for (const told of world.goMany('call', times, { credential, priority, latest })) {
          calls.push({ told, since: now(), state: 'waiting' });
        }
        return undefined;
      }
      case 'answer':
        return end(each.which, windowMs, ({ told }) => told.answer());
      case 'fail':
        return end(each.which, windowMs + 1000, ({ told }) => told.fail());
      case 'never sent':
        return end(each.which, 0, ({ told }) => told.fail({ inFlightMs: undefined }));
      case 'hold':
        return end(each.which, windowMs, (call) => {
          const headers = { 'retry-after': `${each.seconds}` };
          call.told.answer({ ...answerOf('', 429), headers });
          const until = Math.max(
            heldUntil.get(credentialOf(call)) ?? 0,
            now() + each.seconds * 1000,
          );
          heldUntil.set(credentialOf(call), until);
        });
      case 'leave': {
        const waiting = allIn('waiting');
        return waiting[each.which % waiting.length]?.told.leave();
      }
      case 'pass':
        return pass(each.ms);
      case 'prove':
        proven.add(each.credential);
        return world.prove(each.credential);
      case 'breaker':
        breaker.state = each.state;
        return each.state === 'open' && world.gate.dismiss();
    }
  };
  return { act, compare, allIn };
};

/** The same log, which gives promises of its slots. */
const promising = (log: LocalSlotLog): SlotLog =>
  Object.create(log, {
    take: { value: async (reserve: number) => (log.left > reserve ? log.take() : undefined) },
  });

it.each([false, true])(
  'calls are sent when they may be, and wait or are refused when they may not (slots that are promised: %s)',
  async (isPromised) => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 6 }),
        fc.array(action, { maxLength: 60, size: 'max' }),
        async (most, actions) => {
          // Timers of a run that failed must not fail the runs that shrink it.
          vi.clearAllTimers();
          const { act, compare, allIn } = startModel(
            most,
            isPromised ? () => promising(createSlotLog({ calls: most, windowMs }, now)) : undefined,
          );
          for (const each of actions) {
            await act(each);
            await pass();
            compare();
          }
          // All waiting ends: with one slot, each call that waits or is under way takes a window, and a hold takes two.
          const windowsLeft = allIn('waiting').length + allIn('under way').length + 3;
          for (let windows = 0; windows < windowsLeft; windows += 1) {
            for (const { told } of allIn('under way')) told.answer();
            await pass(windowMs);
            for (const call of allIn('under way')) call.state = 'ended';
            for (const call of allIn('waiting')) if (call.told.sent) call.state = 'under way';
            for (const call of allIn('waiting')) if (call.told.outcome) call.state = 'ended';
          }
          expect(allIn('waiting')).toEqual([]);
          expect(vi.getTimerCount()).toBe(0);
        },
      ),
      { numRuns: runsOf(300) },
    );
  },
);

import fc from 'fast-check';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { isBackground, type Priority, priorities } from '../../src/upstream/gate/claims.ts';
import {
  createSlotLog,
  type LocalSlotLog,
  type Slot,
  type SlotLog,
} from '../../src/upstream/gate/slots.ts';
import type { BreakerState } from '../../src/upstream/sending/breaker.ts';
import { runsOf } from '../support/random/runs.ts';
import {
  limited,
  pass,
  reasonOf,
  secondsOf,
  startGate,
  type Told,
} from '../support/upstream/gate-world.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'], now: 0 });
});
afterEach(() => {
  vi.useRealTimers();
});

const limits = { connections: 8, maxWaiting: 8, waitMs: 25_000, windowMs: 10_000 };
const share = 2;
const unprovenShare = { connections: 6, maxWaiting: 6 };
const now = (): number => performance.now();

interface KnownCall {
  readonly told: Told;
  readonly credential: string;
  readonly priority: Priority;
  readonly operation: object;
  readonly latest: number;
  readonly since: number;
  state: 'waiting' | 'under way' | 'ended';
}

/** What is to be true of the gate: which calls may be under way, and which have to wait. */
class Reference {
  readonly calls: KnownCall[] = [];
  /** Operations one of whose reads was refused: they cannot be whole in time. */
  readonly late = new Set<object>();
  readonly proven = new Set<string>();
  /** When slots that were used are free again, by credential. */
  readonly ends: { readonly credential: string; readonly at: number }[] = [];
  readonly heldUntil = new Map<string, number>();
  readonly most: number;
  readonly reserve: number;

  constructor(most: number) {
    this.most = most;
    this.reserve = Math.floor(most / 5);
  }

  in(state: KnownCall['state'], credential?: string): readonly KnownCall[] {
    return this.calls.filter(
      (call) => call.state === state && (credential ?? call.credential) === call.credential,
    );
  }

  unproven(calls: readonly KnownCall[]): readonly KnownCall[] {
    return calls.filter(({ credential }) => !this.proven.has(credential));
  }

  isHeld(credential: string): boolean {
    return (this.heldUntil.get(credential) ?? 0) > now();
  }

  freeSlots(credential: string): number {
    if (this.isHeld(credential)) return 0;
    const ended = this.ends.filter((end) => end.credential === credential && end.at > now());
    return this.most - ended.length - this.in('under way', credential).length;
  }

  hasSlot(call: KnownCall): boolean {
    return this.freeSlots(call.credential) > (this.isLow(call) ? this.reserve : 0);
  }

  /** Whether it leaves slots free for others: what may come later, the reads of late operations, and refreshes. */
  isLow({ priority, operation }: KnownCall): boolean {
    if (priority === 'write') return false;
    return priority !== 'read' || this.late.has(operation);
  }

  /** Its place among others. */
  classOf(call: KnownCall): number {
    return priorities.indexOf(call.priority) + (this.isLow(call) ? priorities.length : 0);
  }

  hasConnection(credential: string): boolean {
    const all = this.in('under way');
    return (
      all.length < limits.connections &&
      this.in('under way', credential).length < share &&
      (this.proven.has(credential) || this.unproven(all).length < unprovenShare.connections)
    );
  }

  /** The calls that lack a connection alone. */
  lacking(credential?: string): readonly KnownCall[] {
    const credentials = new Set(this.calls.map((call) => call.credential));
    return [...credentials]
      .filter((each) => each === (credential ?? each))
      .flatMap((each) => {
        const calls = this.in('waiting', each).toSorted(
          (a, b) => this.classOf(a) - this.classOf(b),
        );
        const free = this.freeSlots(each);
        return calls.filter((call, index) => free - index > (this.isLow(call) ? this.reserve : 0));
      });
  }

  isQueueFull(credential: string): boolean {
    const all = this.lacking();
    const unproven = this.unproven(all);
    if (this.lacking(credential).length >= share || all.length >= limits.maxWaiting) return true;
    return !this.proven.has(credential) && unproven.length >= unprovenShare.maxWaiting;
  }
}

/** Until when it waits for a slot: only what a request waits for is refused after the longest wait. */
const untilOf = ({ priority, latest, since }: KnownCall): number =>
  priority === 'deferred' || isBackground(priority)
    ? latest
    : Math.min(latest, since + limits.waitMs);

/** The same log, which gives promises of its slots. */
const promising = (log: LocalSlotLog): SlotLog =>
  Object.create(log, {
    take: {
      value: async (reserve: number): Promise<Slot | undefined> =>
        log.left > reserve ? log.take() : undefined,
    },
  });

interface World {
  readonly gate: ReturnType<typeof startGate>;
  readonly breaker: { state: BreakerState };
}

type Command = fc.AsyncCommand<Reference, World>;

const pick = <Item>(items: readonly Item[], at: number): Item | undefined =>
  items[at % items.length];

/** Takes note of what has become of calls, and compares it with what is to be. */
const compare = (model: Reference, { breaker }: World): void => {
  const sent = model.in('waiting').filter(({ told }) => told.sent);
  const ended = model.in('waiting').filter(({ told }) => told.outcome !== undefined);
  for (const call of sent) call.state = 'under way';
  for (const call of ended) call.state = 'ended';
  // What was sent was sent before its operation was found to be late, or after.
  const wereLow = new Set(sent.filter((call) => model.isLow(call)));
  for (const { told, priority, operation } of ended) {
    if (priority === 'read' && reasonOf(told) === 'no-slot') model.late.add(operation);
  }
  const waiting = model.in('waiting');
  const underWay = model.in('under way');

  expect(underWay.length).toBeLessThanOrEqual(limits.connections);
  if (sent.length > 0) expect(breaker.state).toBe('closed');
  for (const call of sent) {
    const own = model.in('under way', call.credential);
    expect(own.length).toBeLessThanOrEqual(share);
    expect(model.freeSlots(call.credential)).toBeGreaterThanOrEqual(
      wereLow.has(call) ? model.reserve : 0,
    );
    expect(model.isHeld(call.credential)).toBe(false);
    if (!model.proven.has(call.credential)) {
      expect(model.unproven(underWay).length).toBeLessThanOrEqual(unprovenShare.connections);
    }
    // Nothing of the credential goes before what has a better place.
    for (const other of waiting.filter(({ credential }) => credential === call.credential)) {
      expect(
        wereLow.has(call) ? model.classOf(call) : priorities.indexOf(call.priority),
      ).toBeLessThanOrEqual(model.classOf(other));
    }
  }
  for (const call of ended) {
    const limit = untilOf(call);
    const reason = reasonOf(call.told);
    expect(['no-slot', 'queue-full', 'circuit-open', 'aborted']).toContain(reason);
    if (reason === 'no-slot') {
      expect(now() + (secondsOf(call.told) ?? 0) * 1000).toBeGreaterThan(limit);
      expect(Number.isInteger(secondsOf(call.told))).toBe(true);
    }
    if (reason === 'queue-full') expect(model.isQueueFull(call.credential)).toBe(true);
    if (reason === 'circuit-open') expect(breaker.state).not.toBe('closed');
  }
  // Nothing waits that could be sent, or while the breaker is open.
  expect(breaker.state === 'closed' || waiting.length === 0).toBe(true);
  for (const call of waiting) {
    expect([model.hasSlot(call), model.hasConnection(call.credential)]).not.toEqual([true, true]);
  }
  // Nor do more wait for connections than may.
  expect(model.lacking().length).toBeLessThanOrEqual(limits.maxWaiting);
  for (const { credential } of waiting) {
    expect(model.lacking(credential).length).toBeLessThanOrEqual(share);
  }
};

const command = (
  name: string,
  act: (model: Reference, world: World) => void | Promise<void>,
): Command => ({
  check: () => true,
  run: async (model, world) => {
    await act(model, world);
    await pass();
    compare(model, world);
  },
  toString: () => name,
});

/** A call under way ends; its slot is free so many milliseconds later. */
const end =
  (which: number, freeInMs: number, how: (call: KnownCall) => void) => (model: Reference) => {
    const call = pick(model.in('under way'), which);
    if (!call) return;
    how(call);
    call.state = 'ended';
    model.ends.push({ credential: call.credential, at: now() + freeInMs });
  };

const which = fc.nat();
const commands: readonly fc.Arbitrary<Command>[] = [
  ...Array(3).fill(
    fc
      .record({
        credential: fc.constantFrom('proven1', 'proven2', 'a', 'b', 'c', 'd', 'e'),
        priority: fc.constantFrom(...priorities),
        patience: fc.option(fc.nat(30_000), { nil: Infinity }),
        times: fc.integer({ min: 1, max: 3 }),
      })
      .map(({ credential, priority, patience, times }) =>
        command(`${times} ${priority} of ${credential} for ${patience}`, (model, { gate }) => {
          const latest = now() + patience;
          const operation = {};
          for (const told of gate.goMany('call', times, { credential, priority, latest })) {
            model.calls.push({
              ...{ told, credential, priority, operation, latest, since: now() },
              state: 'waiting',
            });
          }
        }),
      ),
  ),
  which.map((at) =>
    command(
      `answer ${at}`,
      end(at, 10_000, ({ told }) => told.answer()),
    ),
  ),
  which.map((at) =>
    command(
      `fail ${at}`,
      end(at, 11_000, ({ told }) => told.fail()),
    ),
  ),
  which.map((at) =>
    command(
      `never sent ${at}`,
      end(at, 0, ({ told }) => told.fail({ inFlightMs: undefined })),
    ),
  ),
  fc.record({ at: which, seconds: fc.integer({ min: 1, max: 20 }) }).map(({ at, seconds }) =>
    command(`hold ${at} for ${seconds}`, (model) =>
      end(at, 10_000, ({ told, credential }) => {
        told.answer(limited({ 'retry-after': String(seconds) }));
        const until = Math.max(model.heldUntil.get(credential) ?? 0, now() + seconds * 1000);
        model.heldUntil.set(credential, until);
      })(model),
    ),
  ),
  fc.nat(12_000).map((ms) => command(`advance ${ms}`, () => pass(ms))),
  which.map((at) => command(`leave ${at}`, (model) => pick(model.in('waiting'), at)?.told.leave())),
  fc.constantFrom('proven1', 'a').map((credential) =>
    command(`prove ${credential}`, (model, { gate }) => {
      model.proven.add(credential);
      gate.prove(credential);
    }),
  ),
  fc.constantFrom<BreakerState>('open', 'closed').map((state) =>
    command(`breaker ${state}`, (_, { gate, breaker }) => {
      breaker.state = state;
      if (state === 'open') gate.gate.dismiss();
    }),
  ),
];

it.each([false, true])(
  'calls are sent when they may be, and wait or are refused when they may not (slots that are promised: %s)',
  async (isPromised) => {
    const settle = (): void => undefined;
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 6 }),
        fc.commands([...commands], { maxCommands: 60, size: 'max' }),
        async (most, all) => {
          const breaker = {
            state: 'closed' as BreakerState,
            retryAfterSeconds: 3,
            allow: () => (breaker.state === 'closed' ? settle : undefined),
          };
          const rate = { calls: most, windowMs: limits.windowMs };
          const gate = startGate({
            ...{ ...limits, rate, breaker, proven: ['proven1', 'proven2'] },
            logOf: isPromised ? () => promising(createSlotLog(rate, now)) : undefined,
          });
          const model = new Reference(most);
          for (const credential of ['proven1', 'proven2']) model.proven.add(credential);
          await fc.asyncModelRun(() => ({ model, real: { gate, breaker } }), all);
          // All waiting ends, once all that is under way has.
          for (let windows = 0; windows < 6; windows += 1) {
            for (const { told } of model.in('under way')) told.answer();
            await pass(limits.windowMs);
            for (const call of model.in('under way')) call.state = 'ended';
            for (const call of model.in('waiting')) if (call.told.sent) call.state = 'under way';
            for (const call of model.in('waiting')) if (call.told.outcome) call.state = 'ended';
          }
          expect(model.in('waiting')).toEqual([]);
          expect(vi.getTimerCount()).toBe(0);
        },
      ),
      { numRuns: runsOf(300) },
    );
  },
);

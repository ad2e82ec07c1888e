import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type CallBudget,
  createSharedBudget,
  type SharedBudget,
} from '../../src/upstream/sending/budget.ts';
import { createTestBudget, settled } from '../support/upstream/calls.ts';

const nobody = new AbortController().signal;

/** Whether another call may begin. Asking changes nothing. */
const hasPlace = (budget: CallBudget): boolean => {
  const begun = budget.tryBegin();
  if (begun) budget.end();
  return begun;
};

/** A budget that has as many calls under way as it may. */
const busy = (max = 10) => {
  const budget = createTestBudget(max, 1);
  budget.tryBegin();
  return budget;
};

describe('the calls of an operation', () => {
  it('are counted, but for those that are taken back', () => {
    const budget = createTestBudget(2);
    expect([budget.take(), budget.take(), budget.take()]).toEqual([true, true, false]);
    budget.refund();
    expect([budget.take(), budget.take(), budget.taken]).toEqual([true, false, 2]);
  });

  it('begin in their order, never more than so many at a time, whoever leaves meanwhile', async () => {
    const command = fc.oneof(
      { weight: 3, arbitrary: fc.constant({ begin: true }) },
      { weight: 2, arbitrary: fc.constant({ end: true }) },
      { weight: 1, arbitrary: fc.record({ leave: fc.nat() }) },
      { weight: 1, arbitrary: fc.record({ endAndLeave: fc.nat() }) },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.array(command, { maxLength: 60 }),
        async (most, commands) => {
          const budget = createTestBudget(100, most);
          const calls: { state: 'waiting' | 'begun' | 'ended' | 'left'; leave(): void }[] = [];
          const having = (state: string) => calls.filter((call) => call.state === state);
          const endOne = () => {
            const [call] = having('begun');
            if (!call) return;
            call.state = 'ended';
            budget.end();
          };
          const leave = (index: number) => {
            const waiting = having('waiting');
            waiting[index % waiting.length]?.leave();
          };
          for (const each of commands) {
            if ('begin' in each) {
              const controller = new AbortController();
              const call: (typeof calls)[number] = {
                state: 'waiting',
                leave: () => controller.abort(),
              };
              calls.push(call);
              void budget.begin(controller.signal).then((begun) => {
                call.state = begun ? 'begun' : 'left';
              });
            } else if ('end' in each) endOne();
            else if ('leave' in each) leave(each.leave);
            else {
              // The first one that waits may begin as it leaves.
              endOne();
              leave(each.endAndLeave);
            }
            await settled();
            expect(having('begun').length).toBeLessThanOrEqual(most);
            if (having('waiting').length > 0) expect(having('begun')).toHaveLength(most);
            const states = calls.map(({ state }) => state);
            expect(states.lastIndexOf('begun')).toBeLessThan(
              states.includes('waiting') ? states.indexOf('waiting') : Infinity,
            );
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it('do not begin for who has left', async () => {
    const budget = createTestBudget(10, 1);
    expect(await budget.begin(AbortSignal.abort())).toBe(false);
    expect(hasPlace(budget)).toBe(true);
  });

  it('leave no listener behind', async () => {
    const budget = busy();
    const { signal } = new AbortController();
    const listeners = new Set<unknown>();
    Object.assign(signal, {
      addEventListener: (_: string, listener: unknown) => listeners.add(listener),
      removeEventListener: (_: string, listener: unknown) => listeners.delete(listener),
    });
    const begun = budget.begin(signal);
    expect(listeners.size).toBe(1);
    budget.end();
    expect(await begun).toBe(true);
    expect(listeners.size).toBe(0);
  });
});

const sharing = (...members: readonly CallBudget[]): SharedBudget => {
  const shared = createSharedBudget();
  for (const member of members) shared.add(member);
  return shared;
};

describe('the calls of a shared read', () => {
  it('count for the first that may make another', () => {
    const [spent, fresh] = [createTestBudget(0), createTestBudget(2)];
    const shared = sharing(spent, fresh);
    expect([shared.take(), shared.take(), shared.isSpent]).toEqual([true, true, false]);
    expect([shared.take(), shared.isSpent]).toEqual([false, true]);
    expect([spent.taken, fresh.taken]).toEqual([0, 2]);
  });

  it('that are never made count for nobody', () => {
    const [spent, fresh] = [createTestBudget(0), createTestBudget(2)];
    const shared = sharing(spent, fresh);
    shared.take();
    shared.refund();
    expect(fresh.taken).toBe(0);
  });
});

describe('a shared read begins', () => {
  it('at once, on account of whoever has a place', async () => {
    const [starter, joiner] = [busy(), createTestBudget(10, 1)];
    const shared = sharing(starter, joiner);
    expect(await shared.begin(nobody)).toBe(true);
    expect(hasPlace(joiner)).toBe(false);
    shared.end();
    expect([starter, joiner].map(hasPlace)).toEqual([false, true]);
  });

  it('as soon as somebody comes who has a place', async () => {
    const [starter, joiner] = [busy(), createTestBudget(10, 1)];
    const shared = sharing(starter);
    const begun = shared.begin(nobody);
    await settled();
    shared.add(joiner);
    expect(await begun).toBe(true);
    expect(hasPlace(joiner)).toBe(false);
    // And asks the others no longer.
    starter.end();
    await settled();
    expect(hasPlace(starter)).toBe(true);
  });

  it('with the first of them that has a place, and with one only', async () => {
    const members = [busy(), busy(), busy()] as const;
    const shared = sharing(...members);
    const begun = shared.begin(nobody);
    await settled();
    for (const member of members.slice(1)) member.end();
    expect(await begun).toBe(true);
    await settled();
    expect(members.map(hasPlace)).toEqual([false, false, true]);
    shared.end();
    expect(members.map(hasPlace)).toEqual([false, true, true]);
  });

  it('with none, once nobody waits for it', async () => {
    const members = [busy(), busy()] as const;
    const shared = sharing(...members);
    const controller = new AbortController();
    const begun = shared.begin(controller.signal);
    controller.abort();
    expect(await begun).toBe(false);
    for (const member of members) member.end();
    await settled();
    expect(members.map(hasPlace)).toEqual([true, true]);
  });

  it.each(['before', 'after'])(
    'with none when a place comes free just %s the last one leaves',
    async (order) => {
      const member = busy();
      const shared = sharing(member);
      const controller = new AbortController();
      const begun = shared.begin(controller.signal);
      await settled();
      if (order === 'before') member.end();
      controller.abort();
      if (order === 'after') member.end();
      // Or it has begun, and is ended like any other.
      if (await begun) shared.end();
      await settled();
      expect(hasPlace(member)).toBe(true);
    },
  );
});

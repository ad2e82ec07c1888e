import { describe, expect, it } from 'vitest';
import {
  type CallBudget,
  createSharedBudget,
  type SharedBudget,
} from '../../src/upstream/sending/budget.ts';
import { createTestBudget } from '../support/upstream/calls.ts';

describe('the calls of an operation', () => {
  it('are counted, but for those that are taken back', () => {
    const budget = createTestBudget(2);
    expect([budget.take(), budget.take(), budget.take()]).toEqual([true, true, false]);
    budget.refund();
    expect([budget.take(), budget.take(), budget.taken]).toEqual([true, false, 2]);
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

import { describe, expect, it } from 'vitest';
import { createTestBudget } from '../support/upstream/calls.ts';

describe('the calls of an operation', () => {
  it('are counted, but for those that are taken back', () => {
    const budget = createTestBudget(2);
    expect([budget.take(), budget.take(), budget.take()]).toEqual([true, true, false]);
    budget.refund();
    expect([budget.take(), budget.take(), budget.taken]).toEqual([true, false, 2]);
  });
});

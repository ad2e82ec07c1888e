import { describe, expect, it } from 'vitest';
import { createTestBudget } from '../support/upstream/calls.ts';

describe('the calls of an operation', () => {
  it('are counted, but for those that are taken back', () => {
    const budget = createTestBudget(2);
    budget.take();
    budget.take();
    expect([budget.left, budget.taken]).toEqual([0, 2]);
    budget.refund();
    expect([budget.left, budget.taken]).toEqual([1, 1]);
  });
});

import { describe, expect, it } from 'vitest';
import { type CallBudget, createCallBudget } from '../../src/upstream/call-budget.ts';
import { CancellationSource } from '../../src/upstream/cancellation.ts';
import { SharedBudget } from '../../src/upstream/shared-budget.ts';

const nobody = new CancellationSource();

/** Lets everything happen that has been promised by now. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

const sharing = (...members: readonly CallBudget[]): SharedBudget => {
  const shared = new SharedBudget();
  for (const member of members) shared.add(member);
  return shared;
};

/** Whether a budget has a place left. Asking changes nothing. */
const hasPlace = async (budget: CallBudget): Promise<boolean> => {
  const asked = new CancellationSource();
  const turn = budget.begin(asked);
  asked.cancel('gone');
  await turn;
  budget.end();
  return turn === undefined;
};

const havePlaces = (budgets: readonly CallBudget[]): Promise<readonly boolean[]> =>
  Promise.all(budgets.map(hasPlace));

/** A budget whose only place is taken. */
const busy = (max = 10): CallBudget => {
  const budget = createCallBudget(max, 1);
  budget.begin(nobody);
  return budget;
};

describe('the calls of a shared read', () => {
  it('count for the first that may make another', () => {
    const [spent, fresh] = [createCallBudget(0, 1), createCallBudget(2, 1)];
    const shared = sharing(spent, fresh);
    expect([shared.take(), shared.take(), shared.take()]).toEqual([true, true, false]);
    expect([spent.taken, fresh.taken]).toEqual([0, 2]);
  });

  it('that are never made count for nobody', () => {
    const [spent, fresh] = [createCallBudget(0, 1), createCallBudget(2, 1)];
    const shared = sharing(spent, fresh);
    shared.take();
    shared.refund();
    expect(fresh.taken).toBe(0);
  });
});

describe('a shared read has its place', () => {
  it('at once, from whoever has a free one', async () => {
    const [starter, joiner] = [busy(), createCallBudget(10, 1)];
    const shared = sharing(starter, joiner);
    expect(shared.begin(nobody)).toBeUndefined();
    expect(await hasPlace(joiner)).toBe(false);
    shared.end();
    expect(await hasPlace(joiner)).toBe(true);
    expect(await hasPlace(starter)).toBe(false);
  });

  it('as soon as somebody comes who has a free one', async () => {
    const [starter, joiner] = [busy(), createCallBudget(10, 1)];
    const shared = sharing(starter);
    const turn = shared.begin(nobody);
    expect(turn).toBeInstanceOf(Promise);
    shared.add(joiner);
    await turn;
    expect(await hasPlace(joiner)).toBe(false);
    // And asks the others no longer.
    starter.end();
    await settled();
    expect(await hasPlace(starter)).toBe(true);
  });

  it('from the first of them that has one free, and from one only', async () => {
    const members = [busy(), busy(), busy()] as const;
    const shared = sharing(...members);
    const turn = shared.begin(nobody);
    for (const member of members.slice(1)) member.end();
    await turn;
    await settled();
    expect(await havePlaces(members)).toEqual([false, false, true]);
    shared.end();
    expect(await havePlaces(members)).toEqual([false, true, true]);
  });

  it('or none, once nobody waits for it', async () => {
    const members = [busy(), busy()] as const;
    const shared = sharing(...members);
    const cancellation = new CancellationSource();
    const turn = shared.begin(cancellation);
    cancellation.cancel('gone');
    await turn;
    shared.end();
    await settled();
    expect(await havePlaces(members)).toEqual([false, false]);
    for (const member of members) member.end();
    expect(await havePlaces(members)).toEqual([true, true]);
  });
});

it('a call that is cancelled as it waits lets no other go before its time', async () => {
  const budget = busy();
  const gone = new CancellationSource();
  const cancelled = budget.begin(gone);
  let went = false;
  void budget.begin(nobody)?.then(() => {
    went = true;
  });
  gone.cancel('gone');
  await cancelled;
  budget.end();
  await settled();
  expect(went).toBe(false);
  budget.end();
  await settled();
  expect(went).toBe(true);
});

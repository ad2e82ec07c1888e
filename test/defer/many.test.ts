import { expect, it, onTestFinished } from 'vitest';
import { createGate } from '../support/faults/gate.ts';
import { data, result, startStack } from '../support/harness.ts';
import { askInParts } from '../support/in-parts.ts';

const page = '{ organizations { id } ... @defer { dashboards { id } } }';
const as = (name: string) => ({
  headers: { 'observability-authorization': `Bearer ${name}` },
});

it('20 responses in parts may be under way with the same credentials; a further one comes whole', async () => {
  const gate = createGate();
  const stack = await startStack({ management: () => result([]), observability: gate.answering });
  onTestFinished(() => stack.close());
  const ask = (name: string) => askInParts(stack, page, as(name));
  const many = Array.from({ length: 20 }, () => ask('one'));
  await expect.poll(() => many.every(({ parts }) => parts.length === 1)).toBe(true);

  const [further, other] = [ask('one'), ask('other')];
  await expect.poll(() => other.parts.length).toBe(1);
  // Equal reads are one call for each credential.
  await expect.poll(() => gate.calls.length).toBe(2);
  expect(further.parts).toEqual([]);
  for (const { answer } of gate.calls) answer(data([]));
  expect(await further.ended).toEqual([{ data: { organizations: [], dashboards: [] } }]);
  await Promise.all([...many, other].map(({ ended }) => ended));

  // Those that have ended, or whose callers have left, leave their places.
  const again = ask('one');
  await expect.poll(() => again.parts.length).toBe(1);
  again.leave();
});

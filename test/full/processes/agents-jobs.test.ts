import { expect, it } from 'vitest';
import { compare, doJobs } from '../../../bench/agents/run.ts';

it('an agent does all jobs, in at most half the calls and a third of the characters of before', async () => {
  const { one, fleet, impossible } = await doJobs();
  const done = [...one, ...fleet];
  expect([...done, ...impossible].filter(({ fault }) => fault !== undefined)).toEqual([]);
  expect([one.length + impossible.length, fleet.length]).toEqual([24, 5]);
  const { before, now } = compare(done);
  expect(now.calls).toBeLessThanOrEqual(before.calls / 2);
  expect(now.characters).toBeLessThanOrEqual(before.characters / 3);
});

import { expect, it } from 'vitest';
import { readProfile } from '../../sandbox/profile.ts';

it.each([
  [[], 'reference'],
  [['--profile', 'reference'], 'reference'],
  [['--profile', 'live'], 'live'],
  [['--profile=live'], 'live'],
  [['--profile', 'live-2.13'], 'live-2.13'],
])('the arguments %j ask for the profile %s', (args, profile) => {
  expect(readProfile(args)).toBe(profile);
});

it.each([
  [['--profile']],
  [['--profile', '']],
  [['--profile', 'Live']],
  [['--profile', 'cloud']],
  [['--profil', 'live']],
  [['live']],
  [['--profile', 'live', 'more']],
])('the arguments %j are refused with the ones that there are', (args) => {
  expect(() => readProfile(args)).toThrow(
    /^the arguments are none, or --profile live \(or --profile live-2.13, or --profile reference\)$/,
  );
});

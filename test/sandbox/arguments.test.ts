import { expect, it } from 'vitest';
import { readArguments } from '../../sandbox/arguments.ts';

it.each([
  [[], 'reference'],
  [['--profile', 'reference'], 'reference'],
  [['--profile', 'live'], 'live'],
  [['--profile=live'], 'live'],
  [['--profile', 'live-2.13'], 'live-2.13'],
])('the arguments %j ask for the profile %s', (args, profile) => {
  expect(readArguments(args)).toEqual({ profile, fleetSize: 0, help: false });
});

it('both arguments may be given', () => {
  const given = readArguments(['--services', '1000', '--profile', 'live', '--help']);
  expect(given).toEqual({ profile: 'live', fleetSize: 1000, help: true });
});

it.each([
  [['--profile']],
  [['--profile', '']],
  [['--profile', 'Live']],
  [['--profile', 'cloud']],
  [['--profil', 'live']],
  [['live']],
  [['--profile', 'live', 'more']],
  [['--services=-5']],
  [['--services', '']],
  [['--services', '1.5']],
  [['--services', '1e2']],
  [['--services', '1001']],
  [['--help=1']],
])('the arguments %j are refused with the ones that there are', (args) => {
  expect(() => readArguments(args)).toThrow(
    /^the arguments are none, or --profile live \(or --profile live-2.13, or --profile reference\),/,
  );
});

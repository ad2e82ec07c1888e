import { readFileSync } from 'node:fs';

/** The files that precede each script. */
const parts = {
  era: ['begin'],
  look: ['begin', 'marks'],
  keep: ['begin', 'marks'],
  held: ['begin'],
  release: ['begin'],
  announce: ['begin'],
  slots: ['begin'],
} as const;

/** A Lua script of `src/redis/scripts/`. Its keys begin at `KEYS[2]` and its arguments at `ARGV[3]`. */
export type Script = keyof typeof parts;

/** The scripts that do not depend on the era: a change counts in each. */
export const isForAnyEra = (script: Script): boolean =>
  script === 'era' || script === 'announce' || script === 'held' || script === 'release';

const textOf = (file: string): string =>
  readFileSync(new URL(`scripts/${file}.lua`, import.meta.url), 'utf8');

/** The commands that ioredis makes of the scripts: it sends their digests, and the scripts to a Redis that lacks them. */
export const scriptCommands = Object.fromEntries(
  Object.entries(parts).map(([script, before]) => [
    script,
    { lua: [...before, script].map(textOf).join('') },
  ]),
);

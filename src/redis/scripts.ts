import { readFileSync } from 'node:fs';

const names = ['era', 'look', 'keep', 'held', 'release', 'note', 'announce', 'slots'] as const;

/** A Lua script of `src/redis/scripts/`. Its own keys begin at `KEYS[2]`, and its own arguments at `ARGV[3]`. */
export type Script = (typeof names)[number];

/** Whether a script may run in any era. A change, for example, counts in each. */
export const isForAnyEra = (script: Script): boolean =>
  script !== 'look' && script !== 'keep' && script !== 'slots';

const textOf = (file: string): string =>
  readFileSync(new URL(`scripts/${file}.lua`, import.meta.url), 'utf8');

/** The scripts as commands of ioredis, which sends only their digests, and the scripts to a Redis that lacks them. */
export const scriptCommands = Object.fromEntries(
  names.map((name) => [name, { lua: textOf('begin') + textOf(name) }]),
);

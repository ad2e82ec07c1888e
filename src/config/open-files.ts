import { existsSync, readFileSync } from 'node:fs';
import type { Config } from '../config.ts';

/**
 * Descriptors for all else: 24 of Node and of what is listened on, 16 of the metrics port, and some for Redis, probes, files
 * and traces.
 */
const others = 48;

const limits = '/proc/self/limits';

/** How many files this process may have open; Infinity where only Linux would tell. Node has raised the soft limit to the hard one. */
export const openFilesLimit = (): number => {
  const text = existsSync(limits) ? readFileSync(limits, 'utf8') : '';
  const [, soft] = /^Max open files +(\d+)/m.exec(text) ?? [];
  return soft === undefined ? Infinity : Number(soft);
};

/** What is missing, and with how many connections the gateway does without. */
export interface Shortage {
  readonly openFiles: number;
  readonly needed: number;
  readonly maxConnections: number;
  readonly upstreamConnections: number;
}

/**
 * Uses fewer connections where the process may not open enough files. Otherwise Node would close connections without a
 * word once it can open no more, those of health checks too.
 */
export const fitToOpenFiles = (
  config: Config,
  openFiles: number,
): { readonly config: Config; readonly shortage?: Shortage } => {
  const wanted = config.maxConnections + 2 * config.upstreamConnections;
  const room = openFiles - others;
  if (wanted <= room) return { config };
  const share = Math.floor((config.upstreamConnections * room) / wanted);
  const upstreamConnections = Math.max(1, share);
  const maxConnections = Math.max(1, room - 2 * upstreamConnections);
  const used = { maxConnections, upstreamConnections };
  return {
    config: { ...config, ...used },
    shortage: { openFiles, needed: wanted + others, ...used },
  };
};

export const describeShortage = ({ openFiles, needed, ...used }: Shortage): string =>
  `${openFiles} open files are allowed (ulimit -n), and ${needed} needed: the gateway uses MAX_CONNECTIONS=${used.maxConnections} and UPSTREAM_CONNECTIONS=${used.upstreamConnections}.`;

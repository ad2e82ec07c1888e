import { existsSync, readFileSync } from 'node:fs';
import type { Config } from '../config.ts';

/** Descriptors for all else: 24 for Node and listening, 16 for metrics, some for Redis, probes, files and traces. */
const others = 48;

const limits = '/proc/self/limits';

/** How many files this process may open; Infinity except on Linux. Node has raised the soft limit to the hard limit. */
export const openFilesLimit = (): number => {
  const text = existsSync(limits) ? readFileSync(limits, 'utf8') : '';
  const [, soft] = /^Max open files +(\d+)/m.exec(text) ?? [];
  return soft === undefined ? Infinity : Number(soft);
};

/** How many open files are needed, and with how many connections the gateway works instead. */
export interface Shortage {
  readonly openFiles: number;
  readonly needed: number;
  readonly maxConnections: number;
  readonly upstreamConnections: number;
}

/**
 * Uses fewer connections if the process may not open enough files. Otherwise Node would silently close connections once
 * it can open no more, even connections of health checks.
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

import { setTimeout as pause } from 'node:timers/promises';
import type { Measures } from './gateway.ts';

/** How much more than after the warm-up the heap may hold. */
const tolerance = 0.05;
/** Those of Node's HTTP server on one connection, and some more. */
const mostListeners = 15;
/** Whatever is kept in memory is gone after so long, in milliseconds. */
const forgottenAfterMs = 65_000;
/** How long what holds the loop may take to go, in milliseconds. */
const patienceMs = 120_000;

const megabytes = (bytes: number): string => (bytes / 1024 / 1024).toFixed(2);

/** Measures in a line. */
export const rowOf = (title: string, measures: Measures): string =>
  [
    title.padEnd(18),
    `heap ${megabytes(measures.heapBytes)} MB`,
    `external ${megabytes(measures.externalBytes)} MB`,
    `rss ${megabytes(measures.rssBytes)} MB`,
    `sockets ${measures.sockets}`,
    `listeners ${measures.listeners}, of a socket at most ${measures.listenersOfASocket}`,
    `streams ${measures.streams.streams}, reads watched ${measures.streams.reads}`,
    `other resources ${JSON.stringify(measures.resources)}`,
  ].join(' · ');

/** A sentence for everything that has grown, however busy the gateway has just been. */
export const growthUnderLoad = (
  before: Measures,
  after: Measures,
  mostSockets: number,
): readonly string[] => {
  const grown: string[] = [];
  if (after.sockets > mostSockets) grown.push(`sockets: ${after.sockets}, allowed ${mostSockets}`);
  if (after.listeners > before.listeners) {
    grown.push(`listeners: ${after.listeners}, before ${before.listeners}`);
  }
  if (after.listenersOfASocket > mostListeners) {
    grown.push(`listeners of a socket: ${after.listenersOfASocket}, allowed ${mostListeners}`);
  }
  return grown;
};

/** What the gateway holds beyond what it held before any request. */
const leftovers = (bare: Measures, idle: Measures): readonly string[] => {
  const found = Object.entries(idle.resources).flatMap(([kind, count]) =>
    count > (bare.resources[kind] ?? 0)
      ? [`${kind}: ${count}, at first ${bare.resources[kind]}`]
      : [],
  );
  if (idle.sockets > bare.sockets) {
    found.push(`sockets that are never closed: ${idle.sockets}, at first ${bare.sockets}`);
  }
  const { streams, reads, credentials } = idle.streams;
  if (streams + reads + credentials > 0) {
    found.push(`streams that nobody has: ${JSON.stringify(idle.streams)}`);
  }
  return found;
};

/** A sentence for everything that has grown where nothing is under way. */
export const growth = (bare: Measures, warm: Measures, idle: Measures): readonly string[] => {
  const grown = [...growthUnderLoad(warm, idle, bare.sockets), ...leftovers(bare, idle)];
  const limit = warm.heapBytes * (1 + tolerance);
  if (idle.heapBytes > limit) {
    grown.push(`heap: ${megabytes(idle.heapBytes)} MB, allowed ${megabytes(limit)} MB`);
  }
  return grown;
};

/** What it holds once connections have gone that were kept for a next call, and answers that were kept in memory. */
export const measureIdle = async (
  bare: Measures,
  measure: () => Promise<Measures>,
): Promise<Measures> => {
  await pause(forgottenAfterMs);
  const patience = performance.now() + patienceMs;
  let idle = await measure();
  while (leftovers(bare, idle).length > 0 && performance.now() < patience) {
    await pause(1000);
    idle = await measure();
  }
  return idle;
};

/** How long an answer is kept, in milliseconds: as long as it may be shown. */
export const answersKeptMs = 600_000;

/** The longest time of a call with all its waits: a write has three minutes, and an operation 30 seconds more. */
const longestCallMs = 210_000;

/** A reserve for late clocks and commands. */
const reserveMs = 300_000;

/**
 * How long marks of changes are kept, in milliseconds. An answer that was read before a change must not outlast its mark,
 * since a missing mark means that nothing has changed.
 */
export const marksKeptMs = answersKeptMs + longestCallMs + reserveMs;

/**
 * How long the era is kept without any gateway, in milliseconds. It expires before any mark that counts, also when Redis' clock
 * is set forward.
 */
export const eraKeptMs = reserveMs - 60_000;

/** How long the reads that an uncertain write may change are not kept, in milliseconds. */
export const uncertainMs = 30_000;

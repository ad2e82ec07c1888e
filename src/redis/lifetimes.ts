/** How long an answer is kept, in milliseconds: it is not shown for longer. */
export const answersKeptMs = 600_000;

/** The longest time of a call with all waits, in milliseconds: 3 minutes for a write, and 30 s for its operation. */
const longestCallMs = 210_000;

/** A reserve for clocks that differ and for late commands, in milliseconds. */
const reserveMs = 300_000;

/**
 * How long marks of changes are kept, in milliseconds. A missing mark means that nothing has changed, so a mark must
 * outlast every answer that was read before its change.
 */
export const marksKeptMs = answersKeptMs + longestCallMs + reserveMs;

/**
 * How long the era is kept while no gateway runs, in milliseconds. It expires before any mark that counts, even if
 * Redis' clock is set forward.
 */
export const eraKeptMs = reserveMs - 60_000;

/** After an uncertain write, how long no reads that it may change are kept, in milliseconds. */
export const uncertainMs = 30_000;

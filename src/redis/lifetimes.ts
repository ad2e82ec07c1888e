/** How long an answer is kept, in milliseconds: as long as it may be shown. */
export const answersKeptMs = 600_000;

/** The longest call, with all that it waits for: a write has three minutes, and an operation 30 seconds more. */
const longestCallMs = 210_000;

/**
 * How long marks of changes are kept, in milliseconds. An answer that was read before a change must not outlast its mark,
 * since a missing mark says that nothing has changed. A minute is for clocks and commands that are late.
 */
export const marksKeptMs = answersKeptMs + longestCallMs + 60_000;

/** How long nothing is kept of what an uncertain write may change, in milliseconds. */
export const uncertainMs = 30_000;

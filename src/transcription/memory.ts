/**
 * Where things lie in the memory that `assembly/` works in, and that TypeScript fills: places in
 * bytes.
 */

/** What is to be written for the rows of one selection. */
export const planStart = 0x10000;
export const planEnd = 0x20000;
/** Where the members of the row stand that is being read. */
export const tapeStart = 0x20000;
export const tapeEnd = 0x40000;
/** Part of an upstream's answer. */
export const inputStart = 0x40000;
export const inputEnd = 0x80000;
/** Part of the gateway's answer. */
export const outputStart = 0x90000;
export const outputEnd = 0x120000;

/** Bytes behind what is read or written that may be looked at, or written over, as well. */
export const slack = 32;

/** Bytes of what the tape has of one value. */
export const cellSize = 8;

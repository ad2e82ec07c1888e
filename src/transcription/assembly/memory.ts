import * as places from '../memory';

/** The places of `memory.ts` in the folder above, as what places are in here. */
export const tapeStart: usize = places.tapeStart;
export const tapeEnd: usize = places.tapeEnd;
export const outputEnd: usize = places.outputEnd;
export const slack: usize = places.slack;
export const cellSize: usize = places.cellSize;

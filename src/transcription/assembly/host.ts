/** What is done outside. All give 0 where it cannot be. */

/**
 * The name that stands between those places, with its quotes: 0 for one that is not remembered, and
 * that nobody reads.
 */
export declare function nameAt(plan: usize, start: usize, end: usize): usize;

/** Writes what a leaf makes of a value; gives the end of what is written. */
export declare function writeLeaf(leaf: i32, start: usize, end: usize, to: usize): usize;

/**
 * Writes what is made of members of the object whose cells start there; gives the end of what is
 * written.
 */
export declare function writeMade(made: i32, object: usize, to: usize): usize;

/** Takes note of a gap. */
export declare function gapAt(to: usize): void;

let last = 0;

/** A number above all that were given before. Of two requests, the one with the higher number was sent later. */
export const nextMoment = (): number => {
  last += 1;
  return last;
};

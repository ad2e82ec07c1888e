/** A step of a test: it happens when its turn comes. */
export type Step = () => unknown;

/** Carries out steps in their order, each of which settles before the next. */
export const carryOutWith =
  (settle: () => unknown) =>
  async (...steps: readonly Step[]): Promise<void> => {
    for (const step of steps) {
      await step();
      await settle();
    }
  };

/** Steps at once: nothing settles between them. */
export const together =
  (...steps: readonly Step[]): Step =>
  async () => {
    for (const step of steps) {
      const done = step();
      if (done instanceof Promise) await done;
    }
  };

/** What a step is about, which has to be there: else the test would show less than it says. */
export const present = <Value>(value: Value | undefined): Value => {
  if (value === undefined) throw new Error('A step is about something that is not there.');
  return value;
};

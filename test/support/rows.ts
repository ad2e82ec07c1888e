/**
 * The rows of a table in text form: a title, and indented below it the steps, an arrow and their outcome. Long rows continue
 * in further lines.
 */
export const rowsOf = (text: string): readonly (readonly [string, string, string])[] =>
  text
    .trim()
    .split(/\n(?= {2}\S)/)
    .map((row) => {
      const [title = '', ...lines] = row.trim().split(/\n\s*/);
      const [steps = '', outcome = ''] = lines.join(' ').split(/\s*->\s*/);
      return [title, steps, outcome] as const;
    });

/** The same rows for each of these words, which replaces `%` in them. */
export const rowsFor = (words: string, text: string) =>
  words.split(' ').flatMap((word) => rowsOf(text.replaceAll('%', word)));

/** What a step is about, which has to be there: else the row would test less than it says. */
export const present = <Value>(value: Value | undefined): Value => {
  if (value === undefined) throw new Error('A step is about something that is not there.');
  return value;
};

/** The form of a step, and what it does with the parts in parentheses. */
export type Step = readonly [form: RegExp, act: (...parts: (string | undefined)[]) => unknown];

/** Carries out the steps of a row, between commas; `&` joins steps that happen at once. */
export const carryOut = async (
  row: string,
  steps: readonly Step[],
  settle: () => unknown = () => undefined,
): Promise<void> => {
  for (const together of row.split(', ')) {
    for (const step of together.split(' & ')) {
      const [form, act] = steps.find(([each]) => each.test(step)) ?? [];
      if (!act) throw new Error(`No such step: ${step}`);
      const done = act(...(form?.exec(step)?.slice(1) ?? []));
      if (done instanceof Promise) await done;
    }
    await settle();
  }
};

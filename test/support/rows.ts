/**
 * The rows of a table that is written as text: a title, and below it, indented, the steps and after an arrow what they come
 * to. Long ones go on in further lines.
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

/** The same rows for each of these words, which takes the place of `%` in them. */
export const rowsFor = (words: string, text: string) =>
  words.split(' ').flatMap((word) => rowsOf(text.replaceAll('%', word)));

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

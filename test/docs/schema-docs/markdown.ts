/** Text inside a Markdown table's cell, where a line or a bar of its own would end the cell. */
const cell = (text: string): string => text.replace(/\|/g, '\\|').replace(/\s*\n\s*/g, ' ');

/** A table; cells are Markdown of one line or more, which become one. No table without rows. */
export const table = (
  header: readonly string[],
  rows: readonly (readonly string[])[],
): readonly string[] =>
  rows.length === 0
    ? []
    : [
        [header, header.map(() => '---'), ...rows.map((row) => row.map(cell))]
          .map((cells) => `| ${cells.join(' | ')} |`)
          .join('\n'),
      ];

/** A fenced block. */
export const block = (language: string, text: string): string =>
  `\`\`\`${language}\n${text.trim()}\n\`\`\``;

/** The anchor that GitHub gives a heading, where no earlier heading has the same. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .replace(/ /g, '-');

/** Plain text as Markdown: only the spans in backticks keep a meaning, and `code` writes those. */
export const prose = (text: string, code: (content: string) => string): string =>
  text
    .split(/`([^`]*)`/)
    .map((part, index) =>
      index % 2 === 1 ? code(part) : part.replace(/[\\*[\]]/g, '\\$&').replace(/</g, '&lt;'),
    )
    .join('');

/** The first sentence of a description; a dot inside `e.g.` ends none. */
export const firstSentence = (text: string): string => {
  const [paragraph = ''] = text.split(/\n\s*\n/);
  const line = paragraph.replace(/\s*\n\s*/g, ' ');
  return /^.*?(?<!\be\.g)\.(?=\s|$)/.exec(line)?.[0] ?? line;
};

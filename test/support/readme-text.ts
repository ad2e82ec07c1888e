import { readFileSync } from 'node:fs';

export const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');

/** The section of the README under a heading, up to the next heading. */
export const section = (heading: string): string =>
  readme.split(/^#+ /m).find((text) => text.startsWith(`${heading}\n`)) ?? '';

/** Rows of the table in a text whose header row begins with these cells; cells as they stand, without backticks. */
export const table = (
  text: string,
  ...header: readonly string[]
): readonly (readonly string[])[] => {
  const cellsOf = (line: string): string[] =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replace(/^`([^`]*)`$/, '$1'));
  const lines = text.split('\n');
  const start = lines.findIndex(
    (line) => line.startsWith('|') && header.every((cell, index) => cellsOf(line)[index] === cell),
  );
  const rest = lines.slice(start + 2);
  const end = rest.findIndex((line) => !line.startsWith('|'));
  return start < 0 ? [] : rest.slice(0, end < 0 ? undefined : end).map(cellsOf);
};

/** The first cells of rows, sorted. */
export const firstCells = (rows: readonly (readonly string[])[]): string[] =>
  rows.map(([cell = '']) => cell).sort();

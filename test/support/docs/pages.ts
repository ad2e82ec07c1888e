import { readdirSync, readFileSync } from 'node:fs';

const root = new URL('../../../', import.meta.url);

/** The text of a file of this repository. */
export const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');

/** The pages that are documentation, by their paths. */
export const pages: readonly string[] = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...readdirSync(new URL('docs/', root))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
  'client/README.md',
  'operations/README.md',
  'examples/README.md',
  'examples/console/README.md',
];

/** The section of a page under a heading, with its subsections. */
export const section = (page: string, heading: string): string => {
  const [, marks = '', text = ''] =
    new RegExp(`^(#+) ${heading}\\n([\\s\\S]*)`, 'm').exec(read(page)) ?? [];
  return marks === '' ? '' : (text.split(new RegExp(`^#{1,${marks.length}} `, 'm'))[0] ?? '');
};

type Row = readonly string[];

const cellsOf = (line: string): Row =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim().replace(/^`([^`]*)`$/, '$1'));

/** Rows of all tables whose header begins with these cells. The cells have no backticks. */
export const table = (text: string, ...header: readonly string[]): readonly Row[] => {
  const tables = text.match(/(?:^\|.*\n)+/gm) ?? [];
  return tables.flatMap((lines) => {
    const [head = [], , ...rows] = lines.trimEnd().split('\n').map(cellsOf);
    return header.every((cell, index) => head[index] === cell) ? rows : [];
  });
};

/** The first cells of rows, sorted. */
export const firstCells = (rows: readonly Row[]): string[] =>
  rows.map(([cell = '']) => cell).sort();

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';

/** A part of the report, under the name that it has in `docs/performance.md`. */
export interface Part {
  readonly name: 'goodput' | 'cpu';
  readonly text: string;
}

/** The comments around each part: how the first begins, and all of the second. */
const comments = {
  goodput: ['<!-- Goodput, the last full run.', '<!-- End of goodput. -->'],
  cpu: ['<!-- The last full run.', '<!-- End of the last full run. -->'],
} as const;

const page = new URL('../docs/performance.md', import.meta.url);

/** Puts a part between its comments; goodput, where the page has none yet, before the figures of CPU. */
const placed = (text: string, { name, text: part }: Part): string => {
  const [first, last] = comments[name];
  const begin = text.indexOf(first);
  const end = text.indexOf(last, begin);
  if (begin >= 0 && end >= 0) {
    const after = text.indexOf('-->', begin) + '-->'.length;
    return `${text.slice(0, after)}\n\n${part}\n\n${text.slice(end)}`;
  }
  const cpu = text.indexOf(comments.cpu[0]);
  if (name === 'cpu' || cpu < 0) throw new Error(`docs/performance.md lacks "${first}"`);
  return `${text.slice(0, cpu)}${first} -->\n\n${part}\n\n${last}\n\n${text.slice(cpu)}`;
};

/** Replaces these parts of `docs/performance.md`. */
export const keepInPage = (parts: readonly Part[]): void => {
  writeFileSync(page, parts.reduce(placed, readFileSync(page, 'utf8')));
  process.stderr.write('written to docs/performance.md\n');
};

/** Keeps a report as results/<date>.md, over an earlier one of the same day. */
export const keepResult = (text: string): void => {
  const folder = new URL('results/', import.meta.url);
  mkdirSync(folder, { recursive: true });
  const name = `${new Date().toISOString().slice(0, 10)}.md`;
  writeFileSync(new URL(name, folder), text);
  process.stderr.write(`written to bench/results/${name}\n`);
};

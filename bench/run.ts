import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { compare } from './compare.ts';
import { measureGrowth } from './growth.ts';
import type { Options } from './options.ts';
import { createProgress } from './progress.ts';
import { reportComparison, reportGrowth } from './report.ts';

const load = (): string => loadavg()[0]?.toFixed(1) ?? '';

/** Where and when; a load average far from 0 at the start tells that others were at work too. */
const heading = (title: string, loadBefore: string, seconds: number): string =>
  [
    `# ${title}`,
    `${new Date().toISOString().slice(0, 16)}Z, Node ${process.versions.node}, ${cpus().length} cores of ${cpus()[0]?.model.trim()}, load average before ${loadBefore} and after ${load()}, ${seconds.toFixed(0)} s.`,
  ].join('\n\n');

/** Keeps a report as results/<date>[-growth].md, over an earlier one of the same day. */
const keep = (report: string, suffix: string): void => {
  const folder = new URL('results/', import.meta.url);
  mkdirSync(folder, { recursive: true });
  const name = `${new Date().toISOString().slice(0, 10)}${suffix}.md`;
  writeFileSync(new URL(name, folder), report);
  process.stderr.write(`written to bench/results/${name}\n`);
};

/** Measures, prints the report, and with `write` keeps it. */
export const produceReport = async ({ settings, growth, write }: Options): Promise<void> => {
  const progress = createProgress();
  const loadBefore = load();
  const body = growth
    ? reportGrowth(await measureGrowth(settings, progress))
    : reportComparison(await compare(settings, progress));
  const title = `${growth ? 'Growth of costs' : 'Comparison'}, ${settings.name} run`;
  const report = `${heading(title, loadBefore, progress.seconds())}\n\n${body}\n`;
  process.stdout.write(report);
  if (write) keep(report, growth ? '-growth' : '');
};

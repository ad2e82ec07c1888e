import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { compare } from './compare.ts';
import type { Options } from './options.ts';
import { createProgress } from './progress.ts';
import { report } from './report.ts';

const load = (): string => loadavg()[0]?.toFixed(1) ?? '';

/** Where and when. A load average far from 0 at the start tells that others were at work too. */
const origin = (loadBefore: string, seconds: number): string =>
  `${new Date().toISOString().slice(0, 16)}Z, Node ${process.versions.node}, ${cpus().length} cores of ${cpus()[0]?.model.trim()}, load average before ${loadBefore} and after ${load()}, ${seconds.toFixed(0)} s.`;

/** Keeps a report as results/<date>.md, over an earlier one of the same day. */
const keep = (text: string): void => {
  const folder = new URL('results/', import.meta.url);
  mkdirSync(folder, { recursive: true });
  const name = `${new Date().toISOString().slice(0, 10)}.md`;
  writeFileSync(new URL(name, folder), text);
  process.stderr.write(`written to bench/results/${name}\n`);
};

/** Measures, prints the report, and with `write` keeps it. */
export const produceReport = async ({ settings, write }: Options): Promise<void> => {
  const progress = createProgress();
  const loadBefore = load();
  const body = report(await compare(settings, progress));
  const heading = `# Benchmark, ${settings.name} run`;
  const text = `${heading}\n\n${body}\n\n${origin(loadBefore, progress.seconds())}\n`;
  process.stdout.write(text);
  if (write) keep(text);
};

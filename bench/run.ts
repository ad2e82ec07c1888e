import { cpus, loadavg } from 'node:os';
import { compare } from './compare.ts';
import { goodputReport } from './goodput/report.ts';
import { runGoodput } from './goodput/run.ts';
import { keepInPage, keepResult, type Part } from './keep.ts';
import type { Options } from './options.ts';
import { createProgress, type Progress } from './progress.ts';
import { report } from './report.ts';

const load = (): string => loadavg()[0]?.toFixed(1) ?? '';

/** Where and when. A load average far from 0 at the start tells that others were at work too. */
const origin = (loadBefore: string, seconds: number): string =>
  `${new Date().toISOString().slice(0, 16)}Z, Node ${process.versions.node}, ${cpus().length} cores of ${cpus()[0]?.model.trim()}, load average before ${loadBefore} and after ${load()}, ${seconds.toFixed(0)} s.`;

/** Measures something, and tells below it where and when that was. */
const withOrigin = async (progress: Progress, measure: () => Promise<string>): Promise<string> => {
  const loadBefore = load();
  const began = progress.seconds();
  const body = await measure();
  return `${body}\n\n${origin(loadBefore, progress.seconds() - began)}`;
};

/** Measures, prints the report, and with `write` keeps it. */
export const produceReport = async (options: Options): Promise<void> => {
  const { settings, scenarios, windows } = options;
  const progress = createProgress();
  const parts: Part[] = [];
  if (scenarios.length > 0) {
    const text = await withOrigin(progress, async () =>
      goodputReport(await runGoodput(scenarios, windows, progress)),
    );
    parts.push({ name: 'goodput', text });
  }
  if (options.cpu) {
    const text = await withOrigin(progress, async () => report(await compare(settings, progress)));
    parts.push({ name: 'cpu', text });
  }
  const notice = scenarios.length === 0 ? ['A quick run leaves goodput out.'] : [];
  const heading = `# Benchmark, ${settings.name} run`;
  const text = `${[heading, ...notice, ...parts.map((part) => part.text)].join('\n\n')}\n`;
  process.stdout.write(text);
  if (!options.write) return;
  keepResult(text);
  if (options.whole) keepInPage(parts);
};

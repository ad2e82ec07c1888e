import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { measureCpu } from './cpu.ts';
import { type Goodput, measureGoodput } from './goodput.ts';
import { cpuReport, goodputReport, writePage } from './report.ts';
import { createScenarios, usualScenarios } from './scenarios.ts';
import type { WindowKind } from './windows.ts';

/**
 * The benchmark: `npm run bench [-- options]`. Linux only, since CPU time and memory are read from /proc.
 *
 * - `--quick`: a look, in about a minute: a quarter of s1, and each query measured once.
 * - `--all`: all scenarios, before fixed and before sliding windows.
 * - `--scenario s4,s5`: these scenarios and nothing else.
 * - `--windows fixed|sliding|both`: what the backends count in, instead of sliding windows.
 * - `--fleet 50`: credentials of s3, instead of twelve.
 * - `--replicas 3`: so many processes of Sluice with one Redis as well, in the scenarios. Needs redis-server.
 * - `--write`: all scenarios, and puts the report into `docs/performance.md`.
 *
 * Unless it is only a look, it exits with 1 where Sluice misses a bound of a scenario.
 */
const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    all: { type: 'boolean', default: false },
    scenario: { type: 'string' },
    windows: { type: 'string' },
    fleet: { type: 'string', default: '12' },
    replicas: { type: 'string', default: '1' },
    write: { type: 'boolean', default: false },
  },
});
const { quick, scenario, fleet, write } = values;
const all = values.all || write;
if (write && (quick || scenario || values.windows)) throw new Error('--write takes a full run');

const replicas = Number(values.replicas);
if (!Number.isInteger(replicas) || replicas < 1) throw new Error('--replicas is a number from 1');

const scenarios = createScenarios(quick ? 3 : 12, Number(fleet));
const everything = scenarios.map(({ name }) => name);
const names = scenario?.split(',') ?? (all ? everything : quick ? ['s1'] : usualScenarios);
const unknown = names.find((name) => !everything.includes(name));
if (unknown !== undefined) throw new Error(`there is no scenario ${unknown}`);

const kinds: readonly WindowKind[] = (['fixed', 'sliding'] as const).filter((kind) =>
  [kind, 'both'].includes(values.windows ?? (all ? 'both' : 'sliding')),
);
if (kinds.length === 0) throw new Error('--windows is fixed, sliding or both');

const began = performance.now();
const seconds = (): string => ((performance.now() - began) / 1000).toFixed(0);
const load = (): string => loadavg()[0]?.toFixed(1) ?? '';
const say = (what: string): void => void process.stderr.write(`${seconds()} s: ${what}\n`);

const loadBefore = load();
const outcomes: (readonly Goodput[])[] = [];
for (const windows of kinds) {
  for (const each of scenarios.filter(({ name }) => names.includes(name))) {
    say(`${each.name}, ${windows} windows`);
    outcomes.push(await measureGoodput(each, windows, replicas));
  }
}
const goodput = goodputReport(outcomes, replicas);
const parts: { readonly lines: readonly string[]; readonly text: string }[] = [goodput];
if (scenario === undefined) parts.push(cpuReport(await measureCpu(quick, say)));

const [date, cores] = [new Date().toISOString().slice(0, 16), cpus()];
const report = [
  parts.flatMap(({ lines }) => lines).join('\n'),
  ...parts.map(({ text }) => text),
  `${date}Z, Node ${process.versions.node}, ${cores.length} cores of ${cores[0]?.model.trim()}, load average before ${loadBefore} and after ${load()}, ${seconds()} s.`,
].join('\n\n');
process.stdout.write(`${report}\n`);
if (write) writePage(report);
if (goodput.isMissed && !quick) process.exitCode = 1;

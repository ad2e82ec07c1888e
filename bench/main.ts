import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { compared } from './children.ts';
import { measureCpu } from './cpu.ts';
import { createFleetScenarios, createSizes, type FleetScenario } from './fleet.ts';
import { fleetReport, sizesReport } from './fleet-report.ts';
import { type Goodput, measureGoodput } from './goodput.ts';
import { measureHealth } from './health.ts';
import { drawPlots } from './plots.ts';
import { measureReplicas } from './replicas.ts';
import { cpuReport, goodputReport } from './report.ts';
import { saveResults } from './results.ts';
import { createScenarios, usualScenarios } from './scenarios.ts';
import { measureTools } from './tools.ts';
import type { WindowKind } from './windows.ts';

/**
 * The benchmark: `npm run bench [-- options]`. Linux only, since CPU time and memory are read from /proc.
 *
 * - `--quick`: a short run of about a minute: a quarter of s1, and each query measured once.
 * - `--all`: all scenarios, with fixed and with sliding windows.
 * - `--scenario s4,s5`: only these scenarios. The fleet scenarios take minutes and run only with this option: `s7`, `s8` and
 *   `sizes`, pages of 10 to 60 services. `health` is how long /healthz waits while one request is answered.
 *   `replicas` is what two and three processes with one Redis cost; six minutes. `tools` is a REST tool beside a viewer
 *   and a writer, past the gateway and through it; three minutes.
 * - `--windows fixed|sliding|both`: the windows of the backends; sliding by default.
 * - `--fleet 50`: credentials of s3; twelve by default.
 * - `--services 120`, `--sleeping 10`, `--slow 3`, `--minutes 10`: the fleet of s7 and s8, by default without sleeping and
 *   slow services, and the duration of s7 and `sizes`. `--alone`: without the other servers.
 * - `--replicas 3`: also runs this number of Sluice processes with one Redis in the scenarios. Needs redis-server.
 * - `--write`: stores the figures of whole pages in `bench/results.json`, and draws the plots of `docs/performance.md`.
 *
 * Except with `--quick`, it exits with 1 if Sluice misses a bound of a scenario.
 */
const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    all: { type: 'boolean', default: false },
    scenario: { type: 'string' },
    windows: { type: 'string' },
    fleet: { type: 'string', default: '12' },
    services: { type: 'string', default: '120' },
    sleeping: { type: 'string', default: '0' },
    slow: { type: 'string', default: '0' },
    minutes: { type: 'string', default: '10' },
    alone: { type: 'boolean', default: false },
    replicas: { type: 'string', default: '1' },
    write: { type: 'boolean', default: false },
  },
});
const { quick, scenario, fleet, write } = values;
const all = values.all;
if (write && quick) throw new Error('--write takes more than a look');

const wholeNumber = (
  name: 'services' | 'sleeping' | 'slow' | 'replicas',
  least: number,
): number => {
  const number = Number(values[name]);
  if (Number.isInteger(number) && number >= least) return number;
  throw new Error(`--${name} is a whole number from ${least}`);
};
const replicas = wholeNumber('replicas', 1);
const fleetSize = {
  services: wholeNumber('services', 1),
  sleeping: wholeNumber('sleeping', 0),
  slow: wholeNumber('slow', 0),
};
if (fleetSize.sleeping + fleetSize.slow >= fleetSize.services) {
  throw new Error('--services is more than --sleeping and --slow together');
}
const minutes = Number(values.minutes);
if (!(minutes > 0)) throw new Error('--minutes is a number above 0');

const scenarios = createScenarios(quick ? 3 : 12, Number(fleet));
const fleets = createFleetScenarios(fleetSize, minutes);
const usual = scenarios.map(({ name }) => name);
const everything = [
  ...usual,
  ...fleets.map(({ name }) => name),
  'sizes',
  'health',
  'replicas',
  'tools',
];
const names = scenario?.split(',') ?? (all ? usual : quick ? ['s1'] : usualScenarios);
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
const fleetOutcomes: (readonly Goodput<FleetScenario>[])[] = [];
const sizes: Goodput<FleetScenario>[] = [];
for (const windows of kinds) {
  for (const each of scenarios.filter(({ name }) => names.includes(name))) {
    say(`${each.name}, ${windows} windows`);
    outcomes.push(await measureGoodput(each, windows, replicas, compared));
  }
  for (const each of fleets.filter(({ name }) => names.includes(name))) {
    say(`${each.name}, ${windows} windows`);
    const servers = values.alone ? each.servers.slice(0, 1) : each.servers;
    fleetOutcomes.push(await measureGoodput(each, windows, replicas, servers));
  }
  if (names.includes('sizes')) {
    say(`pages by size, ${windows} windows`);
    const all = createSizes(minutes).map((each) => measureGoodput(each, windows, 1, each.servers));
    sizes.push(...(await Promise.all(all)).flat());
  }
}
const parts: { readonly lines: readonly string[]; readonly text: string }[] = [];
const goodput = outcomes.length > 0 ? goodputReport(outcomes, replicas) : undefined;
const ofFleets = fleetOutcomes.length > 0 ? fleetReport(fleetOutcomes, replicas) : undefined;
const ofSizes = sizes.length > 0 ? sizesReport(sizes) : undefined;
const ofReplicas = names.includes('replicas') ? await measureReplicas(say) : undefined;
const ofTools = names.includes('tools') ? await measureTools(say) : undefined;
for (const each of [goodput, ofFleets, ofSizes, ofReplicas, ofTools]) if (each) parts.push(each);
if (scenario === undefined) parts.push(cpuReport(await measureCpu(quick, say)));
if (scenario === undefined || names.includes('health')) {
  parts.push({ lines: [], text: await measureHealth(say) });
}

const [date, cores] = [new Date().toISOString().slice(0, 16), cpus()];
const report = [
  parts.flatMap(({ lines }) => lines).join('\n'),
  ...parts.map(({ text }) => text),
  `${date}Z, Node ${process.versions.node}, ${cores.length} cores of ${cores[0]?.model.trim()}, load average before ${loadBefore} and after ${load()}, ${seconds()} s.`,
].join('\n\n');
process.stdout.write(`${report}\n`);
if (write) {
  saveResults(outcomes.flat(), [...fleetOutcomes.flat(), ...sizes], replicas);
  await drawPlots();
}
const isMissed = [goodput, ofFleets, ofSizes, ofReplicas, ofTools].some((each) => each?.isMissed);
if (isMissed && !quick) process.exitCode = 1;

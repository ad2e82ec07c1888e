import { installPeers } from './install.ts';
import { parseOptions } from './options.ts';
import { stopAll } from './processes.ts';

/**
 * The benchmark: `npm run bench [-- options]`. It measures goodput under the limits of the interfaces, and
 * then CPU. Linux only, since CPU time and memory are read from /proc. Everything listens on the
 * loopback, and all processes end with this one.
 *
 * - `--quick`: a look at CPU, within a minute; with `--goodput`, a quarter of each scenario.
 * - `--goodput`: nothing but goodput. `--scenario s4,s5`: nothing but these scenarios of it.
 * - `--all`: all scenarios, before fixed and before sliding windows.
 * - `--windows fixed|sliding|both`: what the backends count in, instead of sliding windows.
 * - `--fleet 50`: credentials of s3, instead of twelve.
 * - `--write`: keeps the report in `results/`, and a full run in `docs/performance.md` too.
 */
const run = async (): Promise<void> => {
  if (process.platform !== 'linux') throw new Error('the benchmark reads /proc and so needs Linux');
  const options = parseOptions(process.argv.slice(2));
  installPeers();
  const limit = options.limitSeconds;
  setTimeout(() => void end(`given up after ${limit} s`), limit * 1000).unref();
  // Only now can what the peers brought along be imported.
  const { produceReport } = await import('./run.ts');
  await produceReport(options);
};

let ending = false;

/** Ends this process after its children, as a failure where there is something to complain of. */
const end = async (complaint?: string): Promise<void> => {
  // What fails because its servers are being ended is no news.
  if (ending) return;
  ending = true;
  if (complaint !== undefined) process.stderr.write(`${complaint}\n`);
  await stopAll();
  process.exit(complaint === undefined ? 0 : 1);
};

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => void end(signal));
}

run().then(
  () => end(),
  (error: unknown) => end(error instanceof Error ? (error.stack ?? error.message) : String(error)),
);

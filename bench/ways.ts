import { loadavg } from 'node:os';
import { cpuMicroseconds, type ServerName, startBackend, startServer } from './children.ts';
import { createSend, manyCallers, unpaced } from './cpu.ts';
import { expectedAnswer, queries, smallest } from './queries.ts';
import { table } from './report.ts';

/**
 * `npm run bench:ways`: the CPU cost of a request for each way of answering it, with the headers of Apollo Client, compared
 * with a hand-written server and Mercurius. Each server is a separate process; all run at the same time and take turns.
 */
interface Way {
  readonly name: string;
  readonly server: ServerName;
  readonly env: Readonly<Record<string, string>>;
  /** Equal reads of one caller overlap; those of many callers hardly ever do. */
  readonly callers: number;
}

const ways: readonly Way[] = [
  { name: 'hand-written limit', server: 'LIMIT', env: {}, callers: manyCallers },
  { name: 'Mercurius, no memory', server: 'Mercurius', env: {}, callers: manyCallers },
  { name: 'Sluice alone, no memory', server: 'Sluice', env: unpaced, callers: manyCallers },
  { name: 'Sluice, equal reads joined', server: 'Sluice', env: unpaced, callers: 1 },
  // With default settings and limits: repeated requests are answered while the data is fresh.
  { name: 'Sluice, all from memory', server: 'Sluice', env: {}, callers: 1 },
];

/** In blocks of the query's requests. */
const [warmUp, round] = [4, 4];

const all = [smallest, ...queries];
const backend = await startBackend();
const measured = await Promise.all(
  ways.map(async (way) => ({
    ...way,
    child: await startServer(way.server, backend.url, way.env),
    /** The lower of two rounds, for each query. */
    cpu: new Array<number>(all.length).fill(Infinity),
  })),
);
for (const [index, query] of all.entries()) {
  const expected = await expectedAnswer(query);
  const sends = measured.map((way) => {
    const series = { server: way.server, client: 'Apollo Client 4', query } as const;
    return { way, send: createSend(way.child, series, expected, way.callers) };
  });
  for (const { send } of sends) await send(warmUp * query.requests);
  for (const turn of [sends, sends.toReversed()]) {
    for (const { way, send } of turn) {
      const requests = round * query.requests;
      const before = cpuMicroseconds(way.child.pid);
      await send(requests);
      const each = (cpuMicroseconds(way.child.pid) - before) / requests;
      way.cpu[index] = Math.min(way.cpu[index] ?? Infinity, each);
    }
  }
}
for (const { child } of measured) await child.stop();
await backend.stop();

const rows = measured.map(({ name, cpu }) => [name, ...cpu.map((each) => each.toFixed(0))]);
const header = ['µs CPU a request', '`{ __typename }`', ...queries.map(({ name }) => name)];
const load = loadavg()[0]?.toFixed(1);
process.stdout.write(`${table(1, header, rows)}\n\nLoad average at the end: ${load}.\n`);

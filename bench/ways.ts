import { loadavg } from 'node:os';
import { cpuMicroseconds, type ServerName, startBackend, startServer } from './children.ts';
import { createSend, manyCallers, unpaced } from './cpu.ts';
import { expectedAnswer, queries, smallest } from './queries.ts';
import { table } from './report.ts';

/**
 * `npm run bench:ways`: what a request costs in CPU by the way of its answer, with the headers of Apollo Client, beside a
 * hand-written server and Mercurius. Each server is a process of its own; all run at the same time and take turns.
 */
interface Way {
  readonly name: string;
  readonly server: ServerName;
  readonly env: Readonly<Record<string, string>>;
  /** One caller's equal reads overlap; those of many hardly ever do. */
  readonly callers: number;
}

const ways: readonly Way[] = [
  { name: 'hand-written limit', server: 'LIMIT', env: {}, callers: manyCallers },
  { name: 'Mercurius, no memory', server: 'Mercurius', env: {}, callers: manyCallers },
  { name: 'Sluice alone, no memory', server: 'Sluice', env: unpaced, callers: manyCallers },
  { name: 'Sluice, equal reads joined', server: 'Sluice', env: unpaced, callers: 1 },
  // As by default, limits included: what is asked again is answered before it is old.
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
    /** The lower of two rounds, query by query. */
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

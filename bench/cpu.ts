import { isDeepStrictEqual } from 'node:util';
import { Pool } from 'undici';
import type { Counts } from './backend.ts';
import {
  type Child,
  cpuMicroseconds,
  peakMegabytes,
  type ServerName,
  serverNames,
  startBackend,
  startServer,
  takeCounts,
} from './children.ts';
import { type ClientName, clientNames, headersOf, post } from './clients.ts';
import { bodyOf, expectedAnswer, type Query, queries } from './queries.ts';
import { count } from './world.ts';

/** One query on one server, sent with the headers of one client. */
export interface Series {
  readonly server: ServerName;
  readonly client: ClientName;
  readonly query: Query;
  /** User and system time of the server, in microseconds a request, for each block. */
  readonly cpu: number[];
  /** The upstream calls of a single request. */
  counts: Counts;
}

export interface CpuFigures {
  readonly servers: readonly Series[];
  readonly clients: readonly Series[];
  /** Megabytes, for each start. */
  readonly peaks: ReadonlyMap<ServerName, number[]>;
}

/** Concurrent requests; there are more callers, so that two requests of one caller hardly ever overlap. */
export const [connections, manyCallers] = [32, 50];

/** Makes Sluice send every call at once and store no read, as the other servers do. */
export const unpaced = { MANAGEMENT_RATE: 'off', OBSERVABILITY_RATE: 'off', READ_CACHE_MB: '0' };

/**
 * Sends requests over all connections, and checks each answer. Every request has a different body.
 *
 * @param callers how many credentials take turns
 */
export const createSend = (
  { url }: Child,
  { server, client, query }: Pick<Series, 'server' | 'client' | 'query'>,
  expected: unknown,
  callers: number,
) => {
  const pool = new Pool(url, { connections, pipelining: 1 });
  const headers = count(callers, (caller) => headersOf(client, caller));
  let right: string | undefined;
  /** An answer with the same text as the last correct one is correct too. */
  const judge = (status: number, text: string): void => {
    if (status === 200 && text === right) return;
    if (status !== 200 || !isDeepStrictEqual(JSON.parse(text), expected)) {
      throw new Error(`${server} answers ${query.name} wrongly (${status}): ${text.slice(0, 500)}`);
    }
    right = text;
  };
  let sent = 0;
  return async (requests: number): Promise<void> => {
    const last = sent + requests;
    const work = async (): Promise<void> => {
      while (sent < last) {
        sent += 1;
        const own = headers[sent % callers] ?? {};
        const { status, text } = await post(pool, own, bodyOf(query, sent));
        judge(status, text);
      }
    };
    await Promise.all(count(Math.min(connections, requests), work));
  };
};

const seriesOf = (names: readonly ServerName[], clients: readonly ClientName[]): Series[] => {
  const counts: Counts = { calls: 0, refused: 0, rounds: 0 };
  const pairs = names.flatMap((server) => clients.map((client) => ({ server, client, counts })));
  return queries.flatMap((query) => pairs.map((pair) => ({ ...pair, query, cpu: [] })));
};

/** Measures all servers in turn, and then Sluice with the headers of every client. */
export const measureCpu = async (
  quick: boolean,
  say: (what: string) => void,
): Promise<CpuFigures> => {
  // Processes of the same code differ in speed, so all are started several times.
  const [starts, warmUps, blocks] = quick ? [1, 2, 1] : [3, 6, 3];
  const servers = seriesOf(serverNames, ['Apollo Client 4']);
  const clients = seriesOf(['Sluice'], clientNames);
  const peaks = new Map(serverNames.map((name): [ServerName, number[]] => [name, []]));
  const expected = new Map<Query, unknown>();
  for (const query of queries) expected.set(query, await expectedAnswer(query));
  const backend = await startBackend();

  for (let start = 1; start <= starts; start += 1) {
    say(`CPU, start ${start} of ${starts}`);
    const children = new Map<ServerName, Child>();
    const startOne = (name: ServerName) => startServer(name, backend.url, unpaced);
    for (const name of serverNames) children.set(name, await startOne(name));
    const measure = async (all: readonly Series[], unmeasured: number): Promise<void> => {
      const sends = all.map((series) => {
        const child = children.get(series.server);
        if (!child) throw new Error(`${series.server} was not started`);
        const send = createSend(child, series, expected.get(series.query), manyCallers);
        return { series, child, send };
      });
      for (let block = -unmeasured; block < blocks; block += 1) {
        // Each block has the reverse order of the block before, so that no server always comes first.
        for (const { series, child, send } of block % 2 === 0 ? sends : sends.toReversed()) {
          const { requests } = series.query;
          const before = cpuMicroseconds(child.pid);
          await send(requests);
          const cpu = (cpuMicroseconds(child.pid) - before) / requests;
          if (block >= 0) series.cpu.push(cpu);
        }
      }
      if (start > 1 || all === clients) return;
      for (const { series, send } of sends) {
        // Long enough for calls that are made together to arrive before the first is answered.
        await takeCounts(backend.url, 200);
        await send(1);
        series.counts = await takeCounts(backend.url);
      }
    };
    await measure(servers, warmUps);
    for (const [name, child] of children) peaks.get(name)?.push(peakMegabytes(child.pid));
    await measure(clients, 0);
    for (const child of children.values()) await child.stop();
  }
  await backend.stop();
  return { servers, clients, peaks };
};

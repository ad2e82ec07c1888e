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

/** How often everything is measured. */
export interface Effort {
  /** How often all servers are started: one process of the same code is faster or slower than the next. */
  readonly starts: number;
  /** Blocks of each query that a server answers before it is measured. */
  readonly warmUps: number;
  /** Measured blocks of each query after a start. */
  readonly blocks: number;
}

/** One query on one server, asked with the headers of one client. */
export interface Series {
  readonly server: ServerName;
  readonly client: ClientName;
  readonly query: Query;
  /** User and system time of the server, in microseconds a request, block by block. */
  readonly cpu: number[];
  /** The upstream calls of one request, with no other under way. */
  counts: Counts;
}

export interface CpuFigures {
  readonly servers: readonly Series[];
  readonly clients: readonly Series[];
  /** Megabytes, start by start. */
  readonly peaks: ReadonlyMap<ServerName, number[]>;
}

/** Requests under way at a time, each on a connection of its own. */
export const connections = 32;
/** More callers than requests at a time, so that two requests of one caller hardly ever overlap. */
export const callers = 50;

/** Has Sluice send every call at once and keep no read, as the other servers do. */
const unpaced = { MANAGEMENT_RATE: 'off', OBSERVABILITY_RATE: 'off', READ_CACHE: 'off' };

/** Fails unless an answer is the expected one. One that reads as the last right one is right too. */
const createJudge = (expected: unknown) => {
  let right: string | undefined;
  return (status: number, text: string): void => {
    if (status === 200 && text === right) return;
    if (status !== 200 || !isDeepStrictEqual(JSON.parse(text), expected)) {
      throw new Error(`a wrong answer (${status}): ${text.slice(0, 500)}`);
    }
    right = text;
  };
};
type Judge = ReturnType<typeof createJudge>;

/** Sends requests over all connections, and compares each answer. Every request has another body. */
const createSend = ({ url }: Child, { client, query }: Series, judge: Judge) => {
  const pool = new Pool(url, { connections, pipelining: 1 });
  const headers = Array.from({ length: callers }, (_, caller) => headersOf(client, caller));
  let sent = 0;
  return async (requests: number): Promise<void> => {
    const last = sent + requests;
    const work = async (): Promise<void> => {
      while (sent < last) {
        sent += 1;
        const { status, text } = await post(
          pool,
          headers[sent % callers] ?? {},
          bodyOf(query, sent),
        );
        judge(status, text);
      }
    };
    await Promise.all(Array.from({ length: Math.min(connections, requests) }, work));
  };
};

const none: Counts = { calls: 0, refused: 0, rounds: 0 };

const seriesOf = (names: readonly ServerName[], clients: readonly ClientName[]): Series[] =>
  queries.flatMap((query) =>
    names.flatMap((server) =>
      clients.map((client) => ({ server, client, query, cpu: [], counts: none })),
    ),
  );

/** Measures all servers in turn, and then Sluice with the headers of every client. */
export const measureCpu = async (
  { starts, warmUps, blocks }: Effort,
  say: (what: string) => void,
): Promise<CpuFigures> => {
  const servers = seriesOf(serverNames, ['Apollo Client 4']);
  const clients = seriesOf(['Sluice'], clientNames);
  const peaks = new Map(serverNames.map((name): [ServerName, number[]] => [name, []]));
  const judges = new Map<Query, Judge>();
  for (const query of queries) judges.set(query, createJudge(await expectedAnswer(query)));
  const backend = await startBackend();

  for (let start = 1; start <= starts; start += 1) {
    say(`CPU, start ${start} of ${starts}`);
    const children = new Map<ServerName, Child>();
    for (const name of serverNames) {
      children.set(name, await startServer(name, backend.url, unpaced));
    }
    const measure = async (all: readonly Series[], unmeasured: number): Promise<void> => {
      const sends = all.map((series) => {
        const [child, judge] = [children.get(series.server), judges.get(series.query)];
        if (!child || !judge) throw new Error(`${series.server} was not started`);
        return { series, child, send: createSend(child, series, judge) };
      });
      for (let block = -unmeasured; block < blocks; block += 1) {
        // Each block in the reverse order of the last, so that no server always comes first.
        for (const { series, child, send } of block % 2 === 0 ? sends : sends.toReversed()) {
          const { requests } = series.query;
          const before = cpuMicroseconds(child.pid);
          await send(requests);
          const cpu = (cpuMicroseconds(child.pid) - before) / requests;
          if (block >= 0) series.cpu.push(cpu);
        }
      }
      for (const { series, send } of sends) {
        // Calls that are made together arrive long before the first of them is answered.
        await takeCounts(backend.url, 50);
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

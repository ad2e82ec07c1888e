import { Pool } from 'undici';
import { mainClient, requestHeaders } from '../clients.ts';
import { post } from '../post.ts';
import { type Server, start, untilAnswering } from '../processes.ts';
import { type SubjectName, startServer } from '../subject.ts';
import type { Counts } from './counters.ts';
import type { WindowKind } from './windows.ts';

/** Who is compared: the gateway first. */
export const contenders = [
  'Sluice',
  'Mercurius',
  'Yoga',
  'Apollo',
] as const satisfies SubjectName[];
export type Contender = (typeof contenders)[number];

/** A server before a backend of its own. */
export interface Pair {
  readonly name: Contender;
  readonly url: string;
  counts(): Promise<Counts>;
  stop(): Promise<void>;
}

const countsOf = async (backend: Server): Promise<Counts> =>
  // JSON that our own backend wrote.
  (await (await fetch(`${backend.url}/control/counts`)).json()) as Counts;

/** Starts both, and waits until they answer; neither has made or seen a call by then. */
export const startPair = async (
  name: Contender,
  windows: WindowKind,
  jitter: number,
): Promise<Pair> => {
  const backend = await start(['bench/goodput/backend.ts'], {
    WINDOWS: windows,
    JITTER_MS: String(jitter),
  });
  await untilAnswering(backend, 'the backend', async () => (await countsOf(backend)).calls === 0);
  const server = await startServer(name, backend);
  const pool = new Pool(server.url);
  await untilAnswering(server, name, async () => {
    const headers = requestHeaders(mainClient, 'pool', 0);
    return (await post(pool, headers, '{"query":"{ __typename }"}')).status === 200;
  });
  await pool.close();
  return {
    name,
    url: server.url,
    counts: () => Promise.race([countsOf(backend), backend.ended, server.ended]),
    stop: async () => {
      await server.stop();
      await backend.stop();
    },
  };
};

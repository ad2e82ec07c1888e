import type { BackendCounts } from './backend/main.ts';
import { type Server, start, untilAnswering } from './processes.ts';

/** The backend's process. */
export interface Backend extends Server {
  /** What it counted since the last time. */
  take(): Promise<BackendCounts>;
}

export const startBackend = async (): Promise<Backend> => {
  const server = await start(['bench/backend/main.ts'], {});
  const backend: Backend = {
    ...server,
    take: async () => (await (await fetch(`${server.url}/control/take`)).json()) as BackendCounts,
  };
  await untilAnswering(server, 'the backend', async () => (await backend.take()).calls >= 0);
  return backend;
};

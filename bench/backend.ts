import type { BackendCounts } from './backend/main.ts';
import { type Server, start } from './processes.ts';

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
  for (let attempt = 0; ; attempt += 1) {
    try {
      await backend.take();
      return backend;
    } catch (error) {
      if (attempt === 200) throw error;
      await Promise.race([server.ended, new Promise((resolve) => setTimeout(resolve, 20))]);
    }
  }
};

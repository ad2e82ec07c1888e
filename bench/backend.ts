import type { BackendCounts } from './backend/main.ts';
import { type Server, start } from './processes.ts';

/** The backend's process, with its controls. */
export interface Backend extends Server {
  set(settings: { readonly delay?: number; readonly alerts?: number }): Promise<void>;
  /** What it counted since the last time. */
  take(): Promise<BackendCounts>;
}

export const startBackend = async (): Promise<Backend> => {
  const server = await start(['backend/main.ts'], {});
  const control = async (target: string): Promise<unknown> => {
    const answer = await fetch(`${server.url}/control/${target}`);
    return answer.json();
  };
  const backend: Backend = {
    ...server,
    set: async (settings) => {
      const query = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
      await control(`set?${query.join('&')}`);
    },
    take: async () => (await control('take')) as BackendCounts,
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

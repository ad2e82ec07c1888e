import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';

/** A child that listens, or will soon. */
export interface Server {
  readonly pid: number;
  readonly url: string;
  /** Rejects when the child ends before it was asked to. */
  readonly ended: Promise<never>;
  stop(): Promise<void>;
}

const children = new Set<ChildProcess>();

/** Ends all children that are left, by their own ids, and waits until they are gone. */
export const stopAll = async (): Promise<void> => {
  await Promise.all(
    [...children].map(async (child) => {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    }),
  );
};

const freePort = async (): Promise<number> => {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('there is no free port');
  return address.port;
};

const root = fileURLToPath(new URL('..', import.meta.url));

/** Starts Node with `args` in the project's folder, on a free port of the loopback, with little but `env` around it. */
export const start = async (
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Server> => {
  const port = await freePort();
  const child = spawn(process.execPath, args, {
    cwd: root,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env.PATH, NODE_ENV: 'production', PORT: String(port), ...env },
  });
  children.add(child);
  let complaints = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints = (complaints + text).slice(-2000);
  });
  let stopping = false;
  const exited = once(child, 'exit');
  const ended = exited.then(([code, signal]): never | Promise<never> => {
    children.delete(child);
    if (stopping) return new Promise<never>(() => undefined);
    throw new Error(`${args.join(' ')} ended with ${code ?? signal}: ${complaints}`);
  });
  // Reported to whoever waits for the server; nobody may be waiting just then.
  ended.catch(() => undefined);
  if (child.pid === undefined) throw new Error(`${args.join(' ')} cannot be started`);
  return {
    pid: child.pid,
    url: `http://127.0.0.1:${port}`,
    ended,
    stop: async () => {
      stopping = true;
      child.kill('SIGKILL');
      await exited;
    },
  };
};

/** Waits until `ask` is true: it asks a child, again and again, and fails while the child does not listen yet. */
export const untilAnswering = async (
  { ended }: Server,
  name: string,
  ask: () => Promise<boolean>,
): Promise<void> => {
  const began = performance.now();
  const answered = async (): Promise<boolean> => {
    try {
      return await ask();
    } catch (error) {
      if (performance.now() - began > 20_000) throw error;
      return false;
    }
  };
  while (!(await Promise.race([answered(), ended]))) {
    if (performance.now() - began > 20_000) throw new Error(`${name} never answers`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
};

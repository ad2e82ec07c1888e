import { request, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { listen, run, sendAlerts, until } from './run-main.ts';

export const npm = ['npm', 'start'] as const;

/** Has every process of a gateway run this first; `cluster` is at hand. */
export const first = (source: string): Readonly<Record<string, string>> => {
  const module = `import cluster from 'node:cluster';${source}`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(module)}` };
};

/** A backend that answers once released, and from then on. */
const startHeldBackend = async () => {
  const held: ServerResponse[] = [];
  let released = false;
  const { url } = await listen((response) => {
    if (released) sendAlerts(response);
    else held.push(response);
  });
  const release = (): void => {
    released = true;
    held.splice(0).forEach(sendAlerts);
  };
  return { url, release, arrived: (count: number) => until(() => held.length >= count) };
};

interface Options {
  readonly backend: string;
  readonly workers?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly command?: typeof npm;
}

export const launch = ({ backend, workers = 2, env, command }: Options) =>
  run(
    {
      MANAGEMENT_URL: backend,
      OBSERVABILITY_URL: backend,
      PORT: '0',
      WORKERS: String(workers),
      ...env,
    },
    command,
  );

/** The gateway with its workers, once all of them listen. */
export const start = async (options: Options) => {
  const gateway = launch(options);
  const { host, port, path, workers } = await gateway.logged('listening');
  const pids = workers as readonly number[];
  let asked = 0;
  /** Asks over a connection of its own, with a credential of its own, so that nothing is shared. */
  const ask = () =>
    new Promise((resolve, reject) => {
      asked += 1;
      const headers = {
        'content-type': 'application/json',
        authorization: `Bearer token-${asked}`,
      };
      request(
        `http://${host}:${port}${path}`,
        { method: 'POST', agent: false, headers },
        (response) => json(response).then(resolve, reject),
      )
        .on('error', () => resolve('cut off'))
        .end('{"query":"{ alerts { name } }"}');
    });
  /** Has one worker alone take connections meanwhile: the system gives none to a process that stands still. */
  const alone = async <Result>(pid: number, act: () => Promise<Result>): Promise<Result> => {
    const others = pids.filter((other) => other !== pid);
    for (const other of others) process.kill(other, 'SIGSTOP');
    try {
      return await act();
    } finally {
      for (const other of others) process.kill(other, 'SIGCONT');
    }
  };
  const closed = async (): Promise<void> => {
    const isOpen = () =>
      fetch(`http://${host}:${port}/healthz`).then(
        () => true,
        () => false,
      );
    while (await isOpen()) await pause(20);
  };
  return { ...gateway, ask, alone, closed, workers: pids };
};

/** Two workers, a request under way in each of them. */
export const startAndAsk = async (options: Omit<Options, 'backend'> = {}) => {
  const { url, release, arrived } = await startHeldBackend();
  const gateway = await start({ ...options, backend: url });
  const asked: Promise<unknown>[] = [];
  for (const pid of gateway.workers) {
    await gateway.alone(pid, () => {
      asked.push(gateway.ask());
      return arrived(asked.length);
    });
  }
  return { ...gateway, release, asked: Promise.all(asked) };
};

type Gateway = Awaited<ReturnType<typeof startAndAsk>>;
export interface Signal {
  readonly title: string;
  readonly send: (gateway: Gateway) => void;
  readonly command?: typeof npm;
}

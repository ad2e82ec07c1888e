import cluster, { type Worker } from 'node:cluster';
import { fileURLToPath } from 'node:url';
import type { Log } from './log.ts';
import { createRestartDelay, steadyMs } from './restart-delay.ts';
import type { Address } from './serve.ts';

/** What a worker says to the primary; whatever the primary says means to stop. */
export type WorkerMessage =
  | { readonly type: 'listening'; readonly address: Address }
  /** It cannot listen, for a reason that is a line for the operator, and waits for its end. */
  | { readonly type: 'failed'; readonly reason: string }
  /** It was told to leave, and serves until it is told to stop. */
  | { readonly type: 'leaving' };

interface Member {
  readonly worker: Worker;
  /** When it began to listen, as `performance.now()` counts. */
  listeningSince?: number;
  /** Whether it goes once another has taken its place. */
  leaving: boolean;
}

/** More than a worker needs to drain, in milliseconds: one that is stuck does not hear that it should. */
const stopMs = 15_000;
/** Longer than a signal to all processes takes from the first to the last, in milliseconds. */
const signalMs = 100;

/**
 * Keeps `size` processes with a gateway each, all on one address, until SIGTERM, SIGINT or SIGHUP; SIGUSR2
 * replaces every one of them. If a worker ends before it listens at the first start, so does this process, with 1.
 */
export const startWorkers = (size: number, log: Log): void => {
  const members = new Set<Member>();
  const restartDelay = createRestartDelay();
  let announced: Address | undefined;
  let refill: NodeJS.Timeout | undefined;
  let stopping = false;

  const staying = (): Member[] => [...members].filter(({ leaving }) => !leaving);

  const endAtOnce = (): never => {
    for (const { worker } of members) worker.process.kill('SIGKILL');
    process.exit(1);
  };

  const dismiss = ({ worker }: Member): void => {
    if (worker.isConnected()) worker.send('stop', () => undefined);
    setTimeout(() => worker.process.kill('SIGKILL'), stopMs).unref();
  };

  const onListening = (member: Member, address: Address): void => {
    member.listeningSince = performance.now();
    if (stopping) return;
    if (announced) log.info({ worker: member.worker.process.pid }, 'worker listening');
    const team = staying();
    if (team.length < size || team.some((other) => other.listeningSince === undefined)) return;
    // With PORT=0 the port is another one once all workers were gone at the same time.
    if (announced?.port !== address.port) {
      log.info({ ...address, workers: team.map(({ worker }) => worker.process.pid) }, 'listening');
    }
    announced = address;
    for (const other of members) if (other.leaving) dismiss(other);
  };

  const onFailed = ({ worker }: Member, reason: string): void => {
    if (announced) log.error({ worker: worker.process.pid }, reason);
    else if (!stopping) {
      process.stderr.write(`${reason}\n`);
      endAtOnce();
    }
    worker.process.kill('SIGKILL');
  };

  const leave = (member: Member): void => {
    if (member.leaving || stopping || !members.has(member)) return;
    member.leaving = true;
    log.info({ worker: member.worker.process.pid }, 'worker leaving');
    start();
  };

  const onEnd = (member: Member, facts: Readonly<Record<string, unknown>>): void => {
    members.delete(member);
    const { leaving, listeningSince } = member;
    if (!(announced || stopping || leaving) && listeningSince === undefined) {
      process.stderr.write(
        `Sluice cannot start: a worker ended at once: ${JSON.stringify(facts)}\n`,
      );
      endAtOnce();
    }
    if (!(stopping || leaving)) {
      log.error(facts, 'worker died');
      replaceDead(listeningSince === undefined ? 0 : performance.now() - listeningSince);
    } else if (facts.code === 0) log.info(facts, 'worker stopped');
    else log.error(facts, 'worker died');
    if (stopping && members.size === 0) log.info('stopped');
  };

  const replaceDead = (servedMs: number): void => {
    // Workers that die together come back together, and count as one death.
    if (refill && servedMs < steadyMs) return;
    clearTimeout(refill);
    const delayMs = restartDelay(servedMs);
    refill = setTimeout(fill, delayMs);
    log.info({ delayMs }, 'starting another worker');
  };

  const fill = (): void => {
    refill = undefined;
    for (let missing = size - staying().length; missing > 0; missing -= 1) start();
  };

  const fork = (): Worker | undefined => {
    try {
      return cluster.fork();
    } catch (error) {
      if (!announced) throw error;
      log.error({ cause: (error as NodeJS.ErrnoException).code }, 'worker could not be started');
      replaceDead(0);
      return undefined;
    }
  };

  const start = (): void => {
    const worker = fork();
    if (!worker) return;
    const member: Member = { worker, leaving: false };
    members.add(member);
    worker.on('message', (message: WorkerMessage) => {
      // Its last words may come after its end.
      if (!members.has(member)) return;
      if (message.type === 'listening') onListening(member, message.address);
      else if (message.type === 'failed') onFailed(member, message.reason);
      // Where the signal was one for all, the primary's own may come after a worker has told of its.
      else setTimeout(leave, signalMs, member);
    });
    worker.on('error', ({ code }: NodeJS.ErrnoException) => {
      // A process that the system refused has no exit either.
      if (worker.process.pid === undefined) onEnd(member, { cause: code });
    });
    worker.on('exit', (code, signal) =>
      onEnd(member, { worker: worker.process.pid, code, signal }),
    );
  };

  const stop = (signal: NodeJS.Signals): void => {
    if (stopping) endAtOnce();
    stopping = true;
    clearTimeout(refill);
    log.info({ signal }, 'stopping');
    for (const member of members) dismiss(member);
    if (members.size === 0) log.info('stopped');
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  // A terminal that is closed may send several.
  process.on('SIGHUP', (signal) => stopping || stop(signal));
  process.on('SIGUSR2', () => {
    const team = staying();
    // One round after the other, or every signal would double the processes.
    if (announced && team.length === members.size) team.forEach(leave);
  });

  // Each worker takes connections itself. One that the primary had taken, on its way to a worker that dies, would
  // stay open without an answer for as long as the primary lives; and a worker that hangs would be handed one.
  if (!process.env.NODE_CLUSTER_SCHED_POLICY) cluster.schedulingPolicy = cluster.SCHED_NONE;
  cluster.setupPrimary({ exec: fileURLToPath(new URL('./worker.ts', import.meta.url)) });
  fill();
};

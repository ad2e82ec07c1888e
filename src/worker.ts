// The entry of a worker, which `startWorkers` runs: the gateway, stopped by the primary's word alone.
import './preload.js';
import cluster from 'node:cluster';
import { readConfig } from './config.ts';
import { keepGarbageYoung } from './garbage.ts';
import { createLog } from './log.ts';
import type { WorkerMessage } from './workers.ts';

const { worker } = cluster;
if (!worker) throw new Error('src/worker.ts is started by src/main.ts, where WORKERS is 2 or more');

const { serve } = await import('./serve.ts');
const log = createLog().child({ pid: process.pid });
const serving = serve(readConfig(process.env), log);

const tell = (message: WorkerMessage): void => {
  // The primary may be gone at any time, and its end is noticed below.
  if (worker.isConnected()) worker.send(message, () => undefined);
};

let stopping = false;
const stop = (): void => {
  if (stopping) return;
  stopping = true;
  void serving.close().then(() => worker.disconnect());
};

process.on('message', stop);
worker.on('disconnect', () => {
  // Node would end a worker here and now that has lost its primary for no reason it knows of.
  worker.exitedAfterDisconnect = true;
  if (!stopping) log.warn('stopping, as the primary process is gone');
  stop();
});

// Ctrl-C and service managers send their signal to the workers and the primary alike. So a signal only
// asks the primary for leave: it knows whether all are to stop, or this worker is to be replaced.
let signalled = false;
const askForLeave = (): void => {
  if (signalled) process.exit(1);
  signalled = true;
  tell({ type: 'leaving' });
};
process.on('SIGTERM', askForLeave);
process.on('SIGINT', askForLeave);
process.on('SIGHUP', () => signalled || askForLeave());

serving.listening.then(
  (address) => {
    keepGarbageYoung();
    tell({ type: 'listening', address });
  },
  (error: Error) => tell({ type: 'failed', reason: error.message }),
);

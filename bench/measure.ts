import { type Block, check } from './check.ts';
import { requestHeaders } from './clients.ts';
import { post } from './post.ts';
import { cpuMicroseconds } from './proc.ts';
import { median, quantile } from './statistics.ts';
import { connections } from './subject.ts';

/** What a block of requests cost. */
export interface Sample {
  /** User and system time of the server's processes, in microseconds a request. */
  readonly cpu: number;
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Upstream calls a request. */
  readonly calls: number;
}

/** Requests of a block at least: two on each connection. */
const fewest = 2 * connections;

/** Sends a block's requests; an answer of another length than the checked ones is an error. */
const send = async (block: Block, requests: number, bytes: number): Promise<Sample> => {
  const { subject, backend, question, mode, client } = block;
  const milliseconds: number[] = [];
  let sent = 0;
  const work = async (): Promise<void> => {
    while (sent < requests) {
      sent += 1;
      const began = performance.now();
      const headers = requestHeaders(client, mode, sent);
      const answer = await post(subject.pool, headers, question.nextBody());
      milliseconds.push(performance.now() - began);
      if (answer.status !== 200 || answer.bytes !== bytes) {
        throw new Error(`${subject.name} fails at ${question.name} under load: ${answer.text()}`);
      }
    }
  };
  await backend.take();
  const cpuBefore = cpuMicroseconds(subject.pid);
  const began = performance.now();
  await Promise.all(Array.from({ length: connections }, work));
  const seconds = (performance.now() - began) / 1000;
  const cpu = cpuMicroseconds(subject.pid) - cpuBefore;
  const { calls } = await backend.take();
  return {
    cpu: cpu / requests,
    perSecond: requests / seconds,
    p50: quantile(milliseconds, 0.5),
    p99: quantile(milliseconds, 0.99),
    calls: calls / requests,
  };
};

/**
 * Sends a fixed number of requests over all connections, and measures them. Answers are checked deeply
 * before and after; those in between by their status and length.
 */
export const measure = async (block: Block, requests: number): Promise<Sample> => {
  const bytes = await check(block);
  const sample = await send(block, Math.max(fewest, requests), bytes);
  await check(block);
  return sample;
};

/** Sends requests until the server has spent so much CPU time; tells what one cost at last. */
export const warmUp = async (block: Block, cpuSeconds: number): Promise<number> => {
  const bytes = await check(block);
  let spent = 0;
  let requests = fewest;
  for (;;) {
    const { cpu } = await send(block, requests, bytes);
    spent += cpu * requests;
    const left = cpuSeconds * 1e6 - spent;
    if (left <= 0) return cpu;
    requests = Math.max(fewest, Math.min(requests * 4, Math.ceil(left / cpu)));
  }
};

/** The sample whose every figure is the median of that figure. */
export const medianSample = (samples: readonly Sample[]): Sample => {
  const of = (name: keyof Sample): number => median(samples.map((sample) => sample[name]));
  return {
    cpu: of('cpu'),
    perSecond: of('perSecond'),
    p50: of('p50'),
    p99: of('p99'),
    calls: of('calls'),
  };
};

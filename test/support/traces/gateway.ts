import { onTestFinished } from 'vitest';
import { type Answering, type Call, credentials, startBackend } from '../harness.ts';
import { node, run, until } from '../process/run-main.ts';
import type { CollectedSpan, startCollector } from './collector.ts';

export type Collector = Awaited<ReturnType<typeof startCollector>>;

interface TracedOptions {
  readonly management: Answering;
  readonly observability: Answering;
  readonly env: Readonly<Record<string, string>>;
  readonly command?: readonly [string, ...string[]];
}

/** The gateway's own process, with recording backends behind it, until the test ends. */
export const startProcess = async (options: TracedOptions) => {
  const calls: Call[] = [];
  const management = await startBackend('management', calls, options.management);
  const observability = await startBackend('observability', calls, options.observability);
  onTestFinished(async () => {
    await management.close();
    await observability.close();
  });
  const gateway = run(
    {
      MANAGEMENT_URL: management.origin,
      OBSERVABILITY_URL: observability.origin,
      PORT: '0',
      ...options.env,
    },
    options.command ?? node,
  );
  const { port } = await gateway.logged('listening');
  const url = `http://127.0.0.1:${port}/graphql`;
  return {
    ...gateway,
    url,
    /** Every upstream call so far. */
    calls: calls as readonly Call[],
    /** Sends an operation with both credentials. */
    query: async (
      query: string,
      {
        headers,
        variables,
        signal,
      }: { headers?: Record<string, string>; variables?: unknown; signal?: AbortSignal } = {},
    ) => {
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...credentials, 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ query, variables }),
        ...(signal && { signal }),
      });
      return { status: response.status, text: await response.text() };
    },
    /** Stops it as an orchestrator does, and waits until it has ended. */
    stop: () => {
      gateway.child.kill('SIGTERM');
      return gateway.ended;
    },
  };
};

/** Finds spans, once the collector has so many of that name. */
export const collected = async (
  collector: Collector,
  name: string,
  count = 1,
): Promise<readonly CollectedSpan[]> => {
  const found = () => collector.spans().filter((span) => span.name === name);
  await until(() => found().length >= count);
  return found();
};

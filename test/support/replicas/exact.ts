import { onTestFinished } from 'vitest';
import type { Rate } from '../../../src/upstream/gate/slots.ts';
import { type Answering, type Call, data, startBackend } from '../harness.ts';
import { createExactUpstream, type WindowKind } from '../pacing/exact-upstream.ts';
import { untilShared } from '../redis/shared-logs.ts';
import { startReplicas } from './replicas.ts';

/** Three replicas that share the limit of a management interface which counts, with 60 ms of jitter each way. */
export const startBeforeExact = async (
  rate: Rate,
  kind: WindowKind | 'counting',
  accepted?: Answering,
  env: Readonly<Record<string, string>> = {},
) => {
  const upstream = createExactUpstream(rate, kind, 60, accepted);
  const calls: Call[] = [];
  const management = await startBackend('management', calls, upstream.answering);
  onTestFinished(management.close);
  const observability = await startBackend('observability', calls, () => data([]));
  onTestFinished(observability.close);
  const replicas = await startReplicas({
    MANAGEMENT_URL: management.origin,
    OBSERVABILITY_URL: observability.origin,
    MANAGEMENT_RATE: `${rate.calls}/${rate.windowMs / 1000}s`,
    // The machine may be busy with other tests.
    REDIS_TIMEOUT_MS: '2000',
    ...env,
  });
  await untilShared(replicas.redis, rate);
  return { ...replicas, upstream, calls: calls as readonly Call[] };
};

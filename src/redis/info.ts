import type { Redis } from 'ioredis';
import { within } from './unavailable.ts';

/** What a Redis says of itself. */
export interface RedisInfo {
  readonly version: string | undefined;
  /** Differs after each start of a Redis, and for each of its replicas. */
  readonly runId: string;
  /** Why the gateway cannot use it: `CLUSTER` or `READONLY`. */
  readonly fault: string | undefined;
  /** A policy by which it may evict what the gateway counts. */
  readonly warning: string | undefined;
  /** In bytes. `most` is `Infinity` if Redis has no limit. */
  readonly memory: { readonly used: number; readonly most: number };
}

const faultOf = (lines: ReadonlyMap<string, string>): string | undefined => {
  if (lines.get('cluster_enabled') === '1') return 'CLUSTER';
  return lines.get('role') === 'slave' ? 'READONLY' : undefined;
};

/**
 * Asks a Redis about itself.
 *
 * @param timeoutMs how long each of its answers may take, in milliseconds
 */
export const askInfo = async (client: Redis, timeoutMs: number): Promise<RedisInfo> => {
  const { db = 0 } = client.options;
  // Without this check, ioredis would go on with database 0 if the database does not exist.
  if (db > 0) await within(client.select(db), timeoutMs);
  const text = await within(client.info(), timeoutMs);
  const lines = new Map(
    text.split('\r\n').map((line) => {
      const [name = '', value = ''] = line.split(':');
      return [name, value];
    }),
  );
  const policy = lines.get('maxmemory_policy') ?? 'noeviction';
  return {
    version: lines.get('redis_version'),
    runId: lines.get('run_id') ?? '',
    fault: faultOf(lines),
    // All our keys expire, so policies for expiring keys evict them too.
    warning: policy === 'noeviction' ? undefined : `maxmemory-policy ${policy}`,
    memory: {
      used: Number(lines.get('used_memory') ?? 0),
      most: Number(lines.get('maxmemory') ?? 0) || Infinity,
    },
  };
};

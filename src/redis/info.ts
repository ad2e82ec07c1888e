import type { Redis } from 'ioredis';
import { within } from './unavailable.ts';

/** What a Redis says of itself. */
export interface RedisInfo {
  readonly version: string | undefined;
  /** Another text after each start of a Redis, and for each replica. */
  readonly runId: string;
  /** Why it is of no use: `CLUSTER` or `READONLY`. */
  readonly fault: string | undefined;
  /** A policy by which it may remove what the gateway counts. */
  readonly warning: string | undefined;
  /** In bytes. `most` is `Infinity` if it may use all memory. */
  readonly memory: { readonly used: number; readonly most: number };
}

const faultOf = (lines: ReadonlyMap<string, string>): string | undefined => {
  if (lines.get('cluster_enabled') === '1') return 'CLUSTER';
  return lines.get('role') === 'slave' ? 'READONLY' : undefined;
};

/** Asks a Redis about itself. Each of its answers may take that long, in milliseconds. */
export const askInfo = async (client: Redis, timeoutMs: number): Promise<RedisInfo> => {
  const { db = 0 } = client.options;
  // ioredis would go on with database 0 where this one does not exist.
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
    // All keys expire, so that policies for such keys remove them too.
    warning: policy === 'noeviction' ? undefined : `maxmemory-policy ${policy}`,
    memory: {
      used: Number(lines.get('used_memory') ?? 0),
      most: Number(lines.get('maxmemory') ?? 0) || Infinity,
    },
  };
};

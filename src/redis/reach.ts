import { describeConnectionFailure } from '../connection-failures.ts';
import { openRedis } from './client.ts';
import { askInfo, type RedisInfo } from './info.ts';
import { describeRefusal, reasonOf, within } from './unavailable.ts';

const describeInfo = ({ version, fault, warning }: RedisInfo) => {
  if (fault !== undefined) {
    return { reachable: false, finding: `${describeRefusal(fault)} (${fault})` };
  }
  const advice = warning === undefined ? '' : `; with ${warning} it may remove what is counted`;
  return { reachable: true, finding: `answers, version ${version}${advice}` };
};

/** Tries once to reach Redis. The finding is for people, and holds no part of the URL. */
export const reachRedis = async (
  url: string,
  timeoutMs: number,
): Promise<{ readonly reachable: boolean; readonly finding: string }> => {
  const client = openRedis(url, {
    lazyConnect: true,
    retryStrategy: () => null,
    sentinelRetryStrategy: () => null,
    connectTimeout: timeoutMs,
  });
  let failure: unknown;
  client.on('error', (error: unknown) => {
    failure = error;
  });
  try {
    // ioredis waits for ever for the answers to what it asks by itself after connecting.
    await within(client.connect(), 2 * timeoutMs);
    return describeInfo(await askInfo(client, timeoutMs));
  } catch (error) {
    const reason = reasonOf(failure ?? error);
    const protocol = url.startsWith('rediss') ? 'rediss:' : 'redis:';
    const finding =
      describeRefusal(reason) ??
      `cannot be reached: ${describeConnectionFailure(reason, protocol)}`;
    return { reachable: false, finding: `${finding} (${reason})` };
  } finally {
    client.disconnect();
  }
};

import { describeConnectionFailure } from '../connection-failures.ts';
import { inspectOver, reasonOf, within } from './connection.ts';
import type { Inspection } from './inspect.ts';
import { openRedis } from './sentinels.ts';

const refusals: Readonly<Record<string, string>> = {
  WRONGPASS: 'refuses the user or the password',
  NOAUTH: 'asks for a password',
  SENTINELS: 'cannot be reached: no sentinel answers and knows this master',
  DATABASE: 'has no database of this number',
  CLUSTER: 'is a cluster, which the gateway does not support',
  READONLY: 'is a replica, which takes no writes',
};

const describeRefusal = (reason: string): string | undefined => {
  const [word = '', ...commands] = reason.split(' ');
  if (word === 'NOPERM') return `does not let this user run ${commands.join(', ')}`;
  return refusals[word];
};

const describeInspection = ({ version, fault, warning }: Inspection) => {
  if (fault !== undefined) {
    return { reachable: false, finding: `${describeRefusal(fault)} (${fault})` };
  }
  const advice = warning === undefined ? '' : `; with ${warning} it may remove what is counted`;
  return { reachable: true, finding: `answers, version ${version}${advice}` };
};

/** Tries Redis once. The finding is for people to read, and holds no part of the URL. */
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
    // ioredis waits without end for what it asks after it has connected.
    await within(client.connect(), 2 * timeoutMs);
    return describeInspection(await inspectOver(client, timeoutMs));
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

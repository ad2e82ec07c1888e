import { Redis } from 'ioredis';
import { describeCode } from '../connection-words.ts';
import { orNothing, reasonOf, within } from './connection.ts';

const refusals: Readonly<Record<string, string>> = {
  WRONGPASS: 'refuses the user or the password',
  NOAUTH: 'asks for a password',
  NOPERM: 'does not let this user use the commands',
};

const versionIn = (info = ''): string => {
  const [, version] = /^redis_version:(\S+)/m.exec(info) ?? [];
  return version === undefined ? 'and does not tell its version' : `version ${version}`;
};

/** Tries Redis once. The finding is for people to read, and holds no part of the URL. */
export const reachRedis = async (
  url: string,
  timeoutMs: number,
): Promise<{ readonly reachable: boolean; readonly finding: string }> => {
  const client = new Redis(url, {
    lazyConnect: true,
    enableReadyCheck: false,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
    connectTimeout: timeoutMs,
    connectionName: 'sluice',
  });
  let failure: unknown;
  client.on('error', (error: unknown) => {
    failure = error;
  });
  try {
    // ioredis waits without end for what it asks after it has connected.
    await within(client.connect(), 2 * timeoutMs);
    await within(client.ping(), timeoutMs);
    // INFO may be refused to the gateway's user, who does not need it.
    const info = await orNothing(within(client.info('server'), timeoutMs));
    return { reachable: true, finding: `answers, ${versionIn(info)}` };
  } catch (error) {
    const code = reasonOf(failure ?? error);
    const { protocol } = new URL(url);
    const finding = refusals[code] ?? `cannot be reached: ${describeCode(code, protocol)}`;
    return { reachable: false, finding: `${finding} (${code})` };
  } finally {
    client.disconnect();
  }
};

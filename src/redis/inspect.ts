/** What a Redis says of itself. */
export interface Inspection {
  readonly version: string | undefined;
  /** Another text after each start of a Redis, and for each replica. */
  readonly runId: string;
  /** Why it is of no use: `CLUSTER`, `READONLY`, or `NOPERM` and the commands that its user may not run. */
  readonly fault: string | undefined;
  /** A policy by which it may remove what the gateway counts. */
  readonly warning: string | undefined;
}

/** Tries each command of the gateway's scripts, such that nothing is written, and returns those that are not permitted. */
const rehearsalScript = `
local key, refused = KEYS[1], {}
for _, command in ipairs({
  { 'TIME' }, { 'INFO', 'memory' }, { 'GET', key }, { 'SET', key, '', 'PX', '-' }, { 'DEL', key }, { 'EXISTS', key },
  { 'TYPE', key }, { 'PTTL', key }, { 'PEXPIRE', key, '-' }, { 'HGET', key, '' }, { 'HMGET', key, '' },
  { 'HSTRLEN', key, '' }, { 'HSET', key, '', '', '' }, { 'ZADD', key, '-', '' },
  { 'ZRANGE', key, 0, 0 }, { 'ZRANGEBYSCORE', key, 0, 0 }, { 'ZREM', key, '' }, { 'ZREMRANGEBYSCORE', key, 0, 0 },
}) do
  local reply = redis.pcall(unpack(command))
  local fault = type(reply) == 'table' and reply.err or ''
  -- Before version 7.2 the message has no code.
  if string.find(fault, 'NOPERM') or string.find(fault, "executing the script can't") then
    refused[#refused + 1] = string.lower(command[1])
  end
end
return table.concat(refused, ' ')
`;

/**
 * Looks at the Redis of a new connection. Rejects as the two functions do.
 *
 * @param info sends INFO
 * @param evaluate runs a script with the key
 * @param key a key that does not exist
 */
export const inspectRedis = async (
  info: () => Promise<string>,
  evaluate: (script: string, key: string) => Promise<unknown>,
  key: string,
): Promise<Inspection> => {
  const lines = new Map(
    (await info()).split('\r\n').map((line) => {
      const [name = '', value = ''] = line.split(':');
      return [name, value];
    }),
  );
  const policy = lines.get('maxmemory_policy') ?? 'noeviction';
  const found = (fault?: string): Inspection => ({
    version: lines.get('redis_version'),
    runId: lines.get('run_id') ?? '',
    fault,
    // All keys expire, so that policies for such keys remove them too.
    warning: policy === 'noeviction' ? undefined : `maxmemory-policy ${policy}`,
  });
  if (lines.get('cluster_enabled') === '1') return found('CLUSTER');
  if (lines.get('role') === 'slave') return found('READONLY');
  const refused = String(await evaluate(rehearsalScript, key));
  return found(refused === '' ? undefined : `NOPERM ${refused}`);
};

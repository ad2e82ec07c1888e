import { credentialIdentity } from '../upstream/credential-identity.ts';
import type { UpstreamName } from '../upstream/error.ts';
import type { SharedProofs } from '../upstream/gate/credential-status.ts';
import { orNothing, type RedisConnection } from './connection.ts';
import type { Script } from './era-scripts.ts';
import type { Names } from './names.ts';

interface ProofsOptions {
  readonly connection: RedisConnection;
  readonly names: Names;
}

/** Keys: the marks of a proven credential, one for each secret. Argument: how long they are kept, in milliseconds. */
const tellScript: Script = `
for index = 2, #KEYS do redis.call('SET', KEYS[index], '1', 'PX', ARGV[2]) end
return 0
`;
const forgetScript: Script = `return redis.call('DEL', unpack(KEYS, 2))`;
const hasScript: Script = `return redis.call('EXISTS', unpack(KEYS, 2))`;

/** Marks in Redis of credentials that an upstream has accepted. While Redis is out of reach, each process relies on its own. */
export const createRedisProofs =
  ({ connection, names }: ProofsOptions) =>
  (upstream: UpstreamName): SharedProofs => {
    const marksOf = (credential: string): readonly string[] =>
      names.namesOf('proven', upstream, credentialIdentity(credential));
    return {
      tell: (credential, forMs) =>
        void orNothing(connection.run(tellScript, marksOf(credential), [forMs])),
      forget: (credential) => void orNothing(connection.run(forgetScript, marksOf(credential), [])),
      has: async (credential) =>
        Number(await orNothing(connection.run(hasScript, marksOf(credential), []))) > 0,
    };
  };

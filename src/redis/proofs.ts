import { credentialIdentity } from '../upstream/credential-identity.ts';
import type { UpstreamName } from '../upstream/error.ts';
import type { SharedProofs } from '../upstream/gate/standing.ts';
import { orNothing, type RedisConnection } from './connection.ts';
import type { Script } from './era-scripts.ts';
import type { NameOf } from './names.ts';

interface ProofsOptions {
  readonly connection: RedisConnection;
  readonly nameOf: NameOf;
}

/** Key: the mark of a proven credential. Argument: how long it is kept, in milliseconds. */
const tellScript: Script = `
redis.call('SET', KEYS[2], '1', 'PX', ARGV[2])
return 0
`;
const forgetScript: Script = `return redis.call('DEL', KEYS[2])`;
const hasScript: Script = `return redis.call('EXISTS', KEYS[2])`;

/** Marks in Redis of credentials that an upstream has accepted. While Redis is out of reach, each process relies on its own. */
export const createRedisProofs =
  ({ connection, nameOf }: ProofsOptions) =>
  (upstream: UpstreamName): SharedProofs => {
    const markOf = (credential: string): string =>
      nameOf('proven', upstream, credentialIdentity(credential));
    return {
      tell: (credential, forMs) =>
        void orNothing(connection.run(tellScript, [markOf(credential)], [forMs])),
      forget: (credential) =>
        void orNothing(connection.run(forgetScript, [markOf(credential)], [])),
      has: async (credential) =>
        (await orNothing(connection.run(hasScript, [markOf(credential)], []))) === 1,
    };
  };

import { once } from 'node:events';
import { Writable } from 'node:stream';
import { type Config, readConfig } from '../../../src/config.ts';
import { createGateway, type GatewayOptions } from '../../../src/gateway/server.ts';
import { graphqlPath } from '../../../src/gateway/yoga.ts';
import { createLog } from '../../../src/log.ts';
import { type Call, credentials, unpaced } from '../harness.ts';
import { type Arrived, type FaultBackend, type Reaction, startFaultBackend } from './backend.ts';
import type { UpstreamName } from './kinds.ts';

type React = (call: Arrived) => Reaction | Promise<Reaction>;

export interface FaultGateway {
  readonly url: string;
  readonly management: FaultBackend;
  readonly observability: FaultBackend;
  /** Sends an operation, with both credentials of the first caller where no others are given. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  query(document: string, caller?: Readonly<Record<string, string>>): Promise<any>;
  /** How the breaker of an upstream stands, as `/readyz` tells it. */
  breaker(upstream: Call['upstream']): Promise<string>;
  log(): string;
  close(): Promise<void>;
}

/** The gateway between two backends that may break HTTP, with options that no variable of its environment sets. */
export const startFaultGateway = async (
  reacts: Readonly<Record<UpstreamName, React>>,
  config: Partial<Config> = {},
  options: Partial<GatewayOptions> = {},
): Promise<FaultGateway> => {
  const management = await startFaultBackend(reacts.management);
  const observability = await startFaultBackend(reacts.observability);
  const lines: string[] = [];
  const destination = new Writable({
    write: (chunk, _, done) => {
      lines.push(String(chunk));
      done();
    },
  });
  const gateway = createGateway({
    config: {
      ...readConfig({
        MANAGEMENT_URL: management.url.href,
        OBSERVABILITY_URL: observability.url.href,
      }),
      ...unpaced,
      ...config,
    },
    log: createLog(destination),
    ...options,
  });
  gateway.server.listen(0, '127.0.0.1');
  await once(gateway.server, 'listening');
  const address = gateway.server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const origin = `http://127.0.0.1:${address.port}`;
  const url = origin + graphqlPath;
  return {
    url,
    management,
    observability,
    query: async (document, caller = credentials) => {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...caller },
        body: JSON.stringify({ query: document }),
      });
      return response.json();
    },
    breaker: async (upstream) => {
      const response = await fetch(`${origin}/readyz`);
      const body = (await response.json()) as {
        readonly upstreams: Readonly<Record<string, { readonly breaker: string }>>;
      };
      return body.upstreams[upstream]?.breaker ?? 'not told';
    },
    log: () => lines.join(''),
    close: async () => {
      gateway.server.closeAllConnections();
      // All together: the gateway waits for what the backends may never answer.
      await Promise.all([gateway.close(), management.close(), observability.close()]);
    },
  };
};

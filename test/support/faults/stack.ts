import type { Config } from '../../../src/config.ts';
import type { GatewayOptions } from '../../../src/gateway/server.ts';
import { openGateway } from '../gateway.ts';
import { type Answer, credentials, json, unpaced } from '../harness.ts';
import { type Arrived, type Reaction, startFaultBackend } from './backend.ts';
import { success, type UpstreamName } from './kinds.ts';

export const organizationId = '0a9a0000-0000-4000-8000-000000000001';
export const serviceId = '5e4c0000-0000-4000-8000-000000000001';
export const ofService = `organizationId: "${organizationId}", serviceId: "${serviceId}"`;

/** A read of one call, by upstream. */
export const reads = {
  management: { document: `{ service(${ofService}) { name } }`, field: 'service' },
  observability: { document: '{ alert(id: "a1") { name } }', field: 'alert' },
} as const;

export const upstreams = ['management', 'observability'] as const;

/** What an upstream answers that should not be asked. */
export const unexpected = (): Answer => json({ status: 418, error: 'unexpected' }, 418);

/** The reactions one after the other, the last for ever. */
export const oneAfterTheOther = (reactions: readonly [Reaction, ...Reaction[]]) => {
  let next = 0;
  return (): Reaction => {
    const reaction = reactions[next] ?? reactions[0];
    next = Math.min(next + 1, reactions.length - 1);
    return reaction;
  };
};

/** What either read of above takes for a success. */
export const well = (upstream: UpstreamName): Answer =>
  success(upstream, { id: 'a1', name: 'well' });

/** A failure that says nothing but its status. */
export const status = (code: number, headers: Readonly<Record<string, string>> = {}): Answer => ({
  status: code,
  headers: { 'content-type': 'application/json', ...headers },
  body: '{}',
});

export type React = (call: Arrived) => Reaction | Promise<Reaction>;

/** The gateway between two backends that may break HTTP; one that is left out must not be asked. */
export const startFaultGateway = async (
  reacts: Partial<Record<UpstreamName, React>>,
  config: Partial<Config> = {},
  options: Partial<GatewayOptions> = {},
) => {
  const management = await startFaultBackend(reacts.management ?? unexpected);
  const observability = await startFaultBackend(reacts.observability ?? unexpected);
  const { url, origin, lines, end } = await openGateway({
    env: { MANAGEMENT_URL: management.url.href, OBSERVABILITY_URL: observability.url.href },
    config: { ...unpaced, ...config },
    options,
  });
  return {
    ...{ url, management, observability },
    /** Sends an operation, with both credentials of the first caller where no others are given. */
    query: async (
      document: string,
      caller: Readonly<Record<string, string>> = credentials,
      // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
    ): Promise<any> => {
      const headers = { 'content-type': 'application/json', ...caller };
      const body = JSON.stringify({ query: document });
      return (await fetch(url, { method: 'POST', headers, body })).json();
    },
    /** How the breaker of an upstream stands, as `/readyz` tells it. */
    breaker: async (upstream: UpstreamName): Promise<string> => {
      const { upstreams } = await (await fetch(`${origin}/readyz`)).json();
      return upstreams[upstream].breaker;
    },
    log: () => lines.join(''),
    close: async () => {
      // All together: the gateway waits for what the backends may never answer.
      await Promise.all([end(), management.close(), observability.close()]);
    },
  };
};

export type FaultGateway = Awaited<ReturnType<typeof startFaultGateway>>;

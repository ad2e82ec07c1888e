import type { Config } from '../../../src/config.ts';
import type { GatewayServerOptions } from '../../../src/gateway/server.ts';
import { openGateway } from '../gateway.ts';
import { type Answer, credentials, json, unpaced } from '../harness.ts';
import { type Arrived, type Reaction, startFaultBackend } from './backend.ts';
import { success, type UpstreamName } from './places.ts';

export const organizationId = '0a9a0000-0000-4000-8000-000000000001';
export const serviceId = '5e4c0000-0000-4000-8000-000000000001';
export const ofService = `organizationId: "${organizationId}", serviceId: "${serviceId}"`;

/** A read with one call, for each upstream. */
export const reads = {
  management: { document: `{ service(${ofService}) { name } }`, field: 'service' },
  observability: { document: '{ alert(id: "a1") { name } }', field: 'alert' },
} as const;

/** The answer of an upstream that should get no call. */
export const unexpected = (): Answer => json({ status: 418, error: 'unexpected' }, 418);

/** These reactions in order; the last one is repeated. */
export const oneAfterTheOther = (reactions: readonly [Reaction, ...Reaction[]]) => {
  let next = 0;
  return (): Reaction => {
    const reaction = reactions[next] ?? reactions[0];
    next = Math.min(next + 1, reactions.length - 1);
    return reaction;
  };
};

/** A successful answer for both reads above. */
export const well = (upstream: UpstreamName): Answer =>
  success(upstream, { id: 'a1', name: 'well' });

/** A failure with only a status. */
export const status = (code: number, headers: Readonly<Record<string, string>> = {}): Answer => ({
  status: code,
  headers: { 'content-type': 'application/json', ...headers },
  body: '{}',
});

export type React = (call: Arrived) => Reaction | Promise<Reaction>;

/** The gateway between two backends that can break HTTP; an omitted backend must get no call. */
export const startFaultGateway = async (
  reacts: Partial<Record<UpstreamName, React>>,
  config: Partial<Config> = {},
  options: Partial<GatewayServerOptions> = {},
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
    /** Sends an operation, by default with both credentials of the first caller. */
    query: async (
      document: string,
      caller: Readonly<Record<string, string>> = credentials,
      // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
    ): Promise<any> => {
      const headers = { 'content-type': 'application/json', ...caller };
      const body = JSON.stringify({ query: document });
      return (await fetch(url, { method: 'POST', headers, body })).json();
    },
    /** The state of an upstream's breaker according to `/readyz`. */
    breaker: async (upstream: UpstreamName): Promise<string> => {
      const { upstreams } = await (await fetch(`${origin}/readyz`)).json();
      return upstreams[upstream].breaker;
    },
    log: () => lines.join(''),
    close: async () => {
      // In parallel, since the gateway waits for answers that the backends may never send.
      await Promise.all([end(), management.close(), observability.close()]);
    },
  };
};

export type FaultGateway = Awaited<ReturnType<typeof startFaultGateway>>;

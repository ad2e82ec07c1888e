import { type Answer, json, type Stack, startStack } from '../harness.ts';
import { type Arrived, type FaultBackend, type Reaction, startFaultBackend } from './backend.ts';
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

export interface FaultStack extends Stack {
  /** The upstream in question; calls to the other one are in `calls`. */
  readonly backend: FaultBackend;
}

/** A stack of whose upstreams one may break HTTP, and the other must not be asked. */
export const startFaultStack = async (
  upstream: UpstreamName,
  react: (call: Arrived) => Reaction | Promise<Reaction>,
  config: Parameters<typeof startStack>[0]['config'] = {},
): Promise<FaultStack> => {
  const backend = await startFaultBackend(react);
  const stack = await startStack({
    management: unexpected,
    observability: unexpected,
    config: { [`${upstream}Url`]: backend.url, ...config },
  });
  return {
    ...stack,
    backend,
    close: async () => {
      await backend.close();
      await stack.close();
    },
  };
};

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

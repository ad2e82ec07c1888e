import { expect } from 'vitest';
import { credentials } from '../harness.ts';
import type { Arrived, Reaction } from './backend.ts';
import type { UpstreamName } from './kinds.ts';
import { otherThan } from './places.ts';
import {
  type FaultGateway,
  organizationId,
  reads,
  startFaultGateway,
  status,
  well,
} from './stack.ts';

/** Writes: each is one call, whatever comes of it. */
export const writes = {
  management: `mutation { updateOrganization(input: {organizationId: "${organizationId}", name: "n"})
    { organization { name } userErrors { code } } }`,
  observability:
    'mutation { createDashboard(input: {name: "n"}) { dashboard { name } userErrors { code } } }',
} as const;

/** Reads of other paths than `reads`. */
export const otherReads = {
  management: `{ organization(id: "${organizationId}") { name } }`,
  observability: '{ alert(id: "a2") { name } }',
} as const;

/** What another caller brings than the first one. */
export const otherCredentials = {
  'management-authorization': 'Basic b3RoZXI6b3RoZXI=',
  'observability-authorization': 'Bearer token-of-the-other',
} as const;

const callers = [credentials, otherCredentials] as const;

type Options = Parameters<typeof startFaultGateway> extends [unknown, ...infer Rest] ? Rest : never;

export interface BreakerGateway extends FaultGateway {
  /** How the upstream in question reacts from now on; well at first, as the other one always. */
  reactWith(react: () => Reaction | Promise<Reaction>): void;
  /** Reads so many times, one after the other, two paths by turns: two callers by turns, or the first one alone. */
  read(count: number, by?: 'both' | 'one'): Promise<void>;
  /** Writes so many times, one after the other, two callers by turns. */
  write(count: number): Promise<void>;
  /** Brings the breaker to open. */
  open(): Promise<void>;
  /** Expects that neither read nor write is sent. */
  expectKeptBack(): Promise<void>;
}

export const startBreakerGateway = async (
  upstream: UpstreamName,
  ...options: Options
): Promise<BreakerGateway> => {
  const other = otherThan(upstream);
  let react: (call: Arrived) => Reaction | Promise<Reaction> = () => well(upstream);
  const reacts = {
    management: () => well('management'),
    observability: () => well('observability'),
    [upstream]: (call: Arrived) => react(call),
    [other]: () => well(other),
  };
  const [config, ...others] = options;
  const gateway = await startFaultGateway(reacts, { maxRetries: 0, ...config }, ...others);
  let asked = 0;
  const ask = async (documents: readonly string[], count: number, by: 'both' | 'one') => {
    for (let sent = 0; sent < count; sent += 1) {
      asked += 1;
      const [document = ''] = documents.slice(asked % documents.length);
      await gateway.query(document, callers[by === 'one' ? 0 : asked % 2]);
    }
  };
  const read = (count: number, by: 'both' | 'one' = 'both') =>
    ask([reads[upstream].document, otherReads[upstream]], count, by);
  return {
    ...gateway,
    read,
    write: (count) => ask([writes[upstream]], count, 'both'),
    reactWith: (next) => {
      react = next;
    },
    open: async () => {
      react = () => status(502);
      await read(10);
      expect(await gateway.breaker(upstream)).toBe('open');
    },
    expectKeptBack: async () => {
      const before = gateway[upstream].calls.length;
      // The first caller's read may be under way, and would be joined.
      for (const [document, caller] of [
        [writes[upstream], credentials],
        [reads[upstream].document, otherCredentials],
      ] as const) {
        const { errors } = await gateway.query(document, caller);
        expect(errors).toMatchObject([
          {
            extensions: {
              code: 'UPSTREAM_UNAVAILABLE',
              upstream: { name: upstream },
              // The write as well: it was not sent.
              retryable: true,
              retryAfterSeconds: expect.any(Number),
            },
          },
        ]);
      }
      expect(gateway[upstream].calls).toHaveLength(before);
    },
  };
};

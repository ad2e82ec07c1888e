import { expect } from 'vitest';
import { credentials, type React, type Reaction } from '../harness.ts';
import { otherThan, type UpstreamName } from './places.ts';
import { status } from './reactions.ts';
import {
  ofService,
  organizationId,
  otherCredentials,
  reads,
  startFaultGateway,
  well,
  writes,
} from './stack.ts';

/** Writes and reads with other paths than `writes` and `reads`. */
const otherWrites = {
  management: `mutation { updateServicePassword(input: {${ofService}}) { password } }`,
  observability: 'mutation { deleteDashboard(input: {dashboardId: "d1"}) { deletedDashboardId } }',
} as const;

const otherReads = {
  management: `{ organization(organizationId: "${organizationId}") { name } }`,
  observability: '{ dashboard(dashboardId: "d2") { name } }',
} as const;

/** The gateway before an upstream that reacts as it is told to, and another one that is well. */
export const startBreakerGateway = async (
  upstream: UpstreamName,
  config: Parameters<typeof startFaultGateway>[1] = {},
  options: Parameters<typeof startFaultGateway>[2] = {},
) => {
  const other = otherThan(upstream);
  let react: React = () => well(upstream);
  const reacts = {
    [upstream]: (call: Parameters<React>[0]) => react(call),
    [other]: () => well(other),
  };
  const gateway = await startFaultGateway(reacts, { maxRetries: 0, ...config }, options);
  let asked = 0;
  const ask = async (documents: readonly [string, string], count: number, by: 'both' | 'one') => {
    for (let sent = 0; sent < count; sent += 1) {
      asked += 1;
      const isOther = by === 'both' && asked % 2 === 1;
      await gateway.query(documents[asked % 2 ? 1 : 0], isOther ? otherCredentials : credentials);
    }
  };
  /** Reads two paths alternately, by two callers or only by the first one. */
  const read = (count: number, by: 'both' | 'one' = 'both') =>
    ask([reads[upstream].document, otherReads[upstream]], count, by);
  return {
    ...gateway,
    read,
    /** Writes to two paths alternately, by two callers. */
    write: (count: number) => ask([writes[upstream], otherWrites[upstream]], count, 'both'),
    reactWith: (next: () => Reaction | Promise<Reaction>) => {
      react = next;
    },
    /** Opens the breaker. */
    open: async () => {
      react = () => status(502);
      await read(10);
      expect(await gateway.breaker(upstream)).toBe('open');
    },
    /** Expects that neither a read nor a write is sent. */
    expectKeptBack: async () => {
      const before = gateway.callsOf(upstream).length;
      // The first caller's read may be under way, and another read would join it.
      for (const [document, caller] of [
        [writes[upstream], credentials],
        [reads[upstream].document, otherCredentials],
      ] as const) {
        const { errors } = await gateway.query(document, caller);
        // The write is retryable as well, because it was not sent.
        const extensions = {
          ...{ code: 'UPSTREAM_UNAVAILABLE', upstream: { name: upstream } },
          ...{ retryable: true, retryAfterSeconds: expect.any(Number) },
        };
        expect(errors).toMatchObject([{ extensions }]);
      }
      expect(gateway.callsOf(upstream)).toHaveLength(before);
    },
  };
};

export type BreakerGateway = Awaited<ReturnType<typeof startBreakerGateway>>;

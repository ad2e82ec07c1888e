import { expect } from 'vitest';
import type { Config } from '../../../src/config.ts';
import { credentials } from '../harness.ts';
import type { Arrived, Reaction } from './backend.ts';
import { otherCredentials, writes } from './breaker.ts';
import {
  type FaultGateway,
  organizationId,
  reads,
  startFaultGateway,
  upstreams,
  well,
} from './stack.ts';

/** What one caller does to an upstream that another is to notice nothing of. */
export interface Provocation {
  readonly title: string;
  /** How the upstreams react to what the first caller asks. The other's calls are answered. */
  readonly react: (call: Arrived) => Reaction | Promise<Reaction>;
  /** Resolves when the other caller is to ask. */
  readonly attack: (gateway: FaultGateway) => Promise<void>;
  readonly config?: Partial<Config>;
}

/** A field of one call to management, and none to another thing's. */
const backup = (index: number): string =>
  `m${index}: service(organizationId: "${organizationId}",
    serviceId: "5e4c0000-0000-4000-8000-0000000001${String(index).padStart(2, '0')}") {
    backupConfiguration { backupStartTime } }`;

/** Ten calls to management, and one to observability. */
export const tenReads = `{ ${Array.from({ length: 10 }, (_, index) => backup(index)).join(' ')} alerts { name } }`;

/** Asks it so many times, one after the other, as the first caller. */
export const asks =
  (times: number, ...documents: readonly string[]): Provocation['attack'] =>
  async (gateway) => {
    for (let asked = 0; asked < times; asked += 1) {
      for (const document of documents) await gateway.query(document);
    }
  };

/** Has the first caller provoke, and checks that the other one is answered in all it asks. */
export const provoke = async ({ react, attack, config }: Provocation): Promise<void> => {
  let attacked = 0;
  const reacts = Object.fromEntries(
    upstreams.map((upstream) => [
      upstream,
      (call: Arrived) => {
        if (call.authorization !== credentials[`${upstream}-authorization`]) return well(upstream);
        attacked += 1;
        return react(call);
      },
    ]),
  ) as Parameters<typeof startFaultGateway>[0];
  const gateway = await startFaultGateway(reacts, config);
  try {
    await attack(gateway);
    // Or there was no provocation at all.
    expect(attacked).toBeGreaterThan(10);
    for (const upstream of upstreams) {
      const read = await gateway.query(reads[upstream].document, otherCredentials);
      expect(read).toEqual({ data: { [reads[upstream].field]: { name: 'well' } } });
      const write = await gateway.query(writes[upstream], otherCredentials);
      expect(write.errors).toBeUndefined();
      expect(Object.values(write.data)).toEqual([
        expect.objectContaining({ userErrors: [] as const }),
      ]);
      expect(await gateway.breaker(upstream)).toBe('closed');
    }
  } finally {
    await gateway.close();
  }
};

import { describe, expect, it } from 'vitest';
import type { Config } from '../../src/config.ts';
import { leavable } from '../support/faults/gate.ts';
import { upstreams } from '../support/faults/places.ts';
import {
  drip,
  hangUp,
  reset,
  resetWithinBody,
  silence,
  status,
} from '../support/faults/reactions.ts';
import {
  type FaultGateway,
  otherCredentials,
  reads,
  startFaultGateway,
  well,
  writes,
} from '../support/faults/stack.ts';
import { type AnswerError, credentials, type React, type Reaction } from '../support/harness.ts';
import { sampleOf } from '../support/random/runs.ts';
import { withIds } from '../support/world/ids.ts';
import { numbers } from '../support/world/worlds.ts';

/** What one caller does to an upstream that another is to notice nothing of, and how the upstream takes it. */
type Provocation = [
  title: string,
  reaction: Reaction,
  attack: (gateway: FaultGateway) => Promise<unknown>,
  config?: Partial<Config>,
];

/** Ten calls to management, which no other request makes. */
const tenReads = (request: number): string =>
  numbers(10)
    .map((index) => withIds(`@service-${request * 10 + index}`))
    .map((ids, index) => `m${index}: service(${ids}) { backupConfiguration { backupStartTime } }`)
    .join(' ');
/** The same, and three requests of one call each to observability: several of one request would be read as one list. */
const readsOf = (request: number): readonly string[] => [
  `{ ${tenReads(request)} }`,
  ...numbers(3).map((each) => `{ alert(alertId: "a${request}-${each}") { name } }`),
];
const bothWrites = [writes.management, writes.observability];

const asks =
  (times: number, ...documents: readonly string[]): Provocation[2] =>
  async ({ query }) => {
    for (const _ of numbers(times)) for (const document of documents) await query(document);
  };

/** Resolves when the caller has all the connections that it may have. */
const taken = async ({ query, callsOf }: FaultGateway): Promise<void> => {
  const least = () => Math.min(...upstreams.map((each) => callsOf(each).length));
  await expect.poll(least).toBeGreaterThanOrEqual(16);
  // And whatever else was asked before has been read.
  for (const _ of [1, 2]) await query('{ __typename }');
};
/** Asks without waiting for answers. */
const floods =
  (count: number, of: (request: number) => readonly string[]): Provocation[2] =>
  async (gateway) => {
    // The gateway closes with most of these unanswered.
    for (const document of numbers(count).flatMap(of)) {
      void gateway.query(document).catch(() => undefined);
    }
    await taken(gateway);
  };
const leavesAll: Provocation[2] = async (gateway) => {
  for (const round of numbers(5)) {
    const requests = numbers(12)
      .flatMap((request) => readsOf(round * 12 + request))
      .map((document) => leavable(gateway.url, document, credentials));
    await taken(gateway);
    await Promise.all(requests.map(({ leave }) => leave()));
  }
};
const waitsInVain: Provocation[2] = async ({ query }) => {
  const bodies = await Promise.all(
    numbers(12)
      .flatMap(readsOf)
      .map((each) => query(each)),
  );
  const errors: readonly AnswerError[] = bodies.flatMap((body) => body.errors);
  const late = errors.filter(({ extensions }) => extensions.code === 'UPSTREAM_TIMEOUT');
  expect(late).toHaveLength(12 * 13);
};
const short = { operationTimeoutMs: 1500 };
const ofFloods: readonly Provocation[] = [
  ['a flood of 160 requests that are not answered', silence, floods(40, readsOf)],
  ['a flood of 220 writes that are not answered', silence, floods(110, () => bothWrites)],
  ['requests that it does not wait for', silence, leavesAll],
  ['calls that wait for a connection until their time is up', silence, waitsInVain, short],
];

const some = [`{ ${tenReads(0)} alerts { name } }`, reads.observability.document];
const all = asks(12, ...some, ...bothWrites);
const once = { maxRetries: 0 };
const late = { operationTimeoutMs: 300, writeTimeoutMs: 300 };
const little = asks(3, ...some, writes.management);
const ofFailures: readonly Provocation[] = [
  ...[400, 401, 403, 404, 429, 500, 502, 503, 504].map(
    (code): Provocation => [`answers of ${code}`, status(code), all, once],
  ),
  ...[reset, hangUp, resetWithinBody].map(
    (broken): Provocation => ['connections that break', broken, all, once],
  ),
  ...[silence, drip].map(
    (stall): Provocation => ['its own deadline, which is too short', stall, little, late],
  ),
];

describe('one caller does not keep another caller from its answer by', () => {
  it.each<Provocation>([...ofFloods, ...sampleOf(ofFailures, 5)])(
    '%s',
    async (_, reaction, attack, config) => {
      let attacked = 0;
      const reactOf =
        (upstream: 'management' | 'observability'): React =>
        (call) => {
          if (call.headers.authorization !== credentials[`${upstream}-authorization`])
            return well(upstream);
          attacked += 1;
          return reaction;
        };
      const gateway = await startFaultGateway(
        { management: reactOf('management'), observability: reactOf('observability') },
        config,
      );
      await attack(gateway);
      // Or there was no provocation at all.
      expect(attacked).toBeGreaterThan(10);
      for (const upstream of upstreams) {
        const { document, field } = reads[upstream];
        expect(await gateway.query(document, otherCredentials)).toEqual({
          data: { [field]: { name: 'well' } },
        });
        const write = await gateway.query(writes[upstream], otherCredentials);
        expect(write.errors).toBeUndefined();
        expect(Object.values(write.data)).toMatchObject([{ userErrors: [] }]);
        expect(await gateway.breaker(upstream)).toBe('closed');
      }
    },
  );
});
